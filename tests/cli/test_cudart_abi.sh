#!/bin/sh
# The structs and numbers of ui/cudart/abi.h are those of nvcc's headers, the names of calls.def those of nvcc's library, and the
# properties of a device have their layout. Where nvcc is not there is nothing to compare with.
. "$(dirname "$0")/../rig/cli_rig.sh"
CUDA=${CUDA_HOME:-/usr/local/cuda}
if [ ! -f "$CUDA/include/cuda_runtime_api.h" ]; then
	echo "skipped: no CUDA headers"
	exit 0
fi
cat >"$tmp/layout.c" <<'END'
#include <cuda_runtime_api.h>
#include <stdio.h>
#define dim3 our_dim3
#include "cudart/abi.h"
#undef dim3
static int bad;
#define SIZE(ours, theirs) \
	if (sizeof(struct ours) != sizeof(theirs)) bad++, printf("%s: %zu bytes, not %zu\n", #ours, sizeof(struct ours), sizeof(theirs))
#define AT(ours, a, theirs, b) \
	if (offsetof(struct ours, a) != offsetof(theirs, b)) bad++, printf("%s.%s: at %zu, not %zu\n", #ours, #a, offsetof(struct ours, a), offsetof(theirs, b))
#define SAME(ours, theirs) \
	if ((int)(ours) != (int)(theirs)) bad++, printf("%s: %d, not %d\n", #ours, (int)(ours), (int)(theirs))
int main(void)
{
	SIZE(memcpy_3d, struct cudaMemcpy3DParms);
	AT(memcpy_3d, dst_ptr, struct cudaMemcpy3DParms, dstPtr);
	AT(memcpy_3d, extent, struct cudaMemcpy3DParms, extent);
	SIZE(memcpy_3d_peer, struct cudaMemcpy3DPeerParms);
	AT(memcpy_3d_peer, dst_ptr, struct cudaMemcpy3DPeerParms, dstPtr);
	SIZE(pitched_ptr, struct cudaPitchedPtr);
	SIZE(channel_desc, struct cudaChannelFormatDesc);
	AT(channel_desc, f, struct cudaChannelFormatDesc, f);
	SIZE(launch_config, cudaLaunchConfig_t);
	AT(launch_config, attrs, cudaLaunchConfig_t, attrs);
	SIZE(launch_attribute, cudaLaunchAttribute);
	AT(launch_attribute, value, cudaLaunchAttribute, val);
	SIZE(texture_desc, struct cudaTextureDesc);
	AT(texture_desc, normalized, struct cudaTextureDesc, normalizedCoords);
	SIZE(resource_view_desc, struct cudaResourceViewDesc);
	AT(resource_desc, res.linear.bytes, struct cudaResourceDesc, res.linear.sizeInBytes);
	AT(resource_desc, res.pitched.pitch, struct cudaResourceDesc, res.pitch2D.pitchInBytes);
	SIZE(kernel_node_params, struct cudaKernelNodeParams);
	SIZE(memset_params, struct cudaMemsetParams);
	AT(memset_params, element, struct cudaMemsetParams, elementSize);
	SIZE(host_node_params, struct cudaHostNodeParams);
	SIZE(mem_location, struct cudaMemLocation);
	AT(pointer_attributes, host_pointer, struct cudaPointerAttributes, hostPointer);
	AT(func_attributes, carveout, struct cudaFuncAttributes, preferredShmemCarveout);
#if CUDART_VERSION >= 13000
	SIZE(pointer_attributes, struct cudaPointerAttributes);
#endif
#if CUDART_VERSION >= 12000
	SIZE(func_attributes, struct cudaFuncAttributes);
#endif
	SAME(INVALID_VALUE, cudaErrorInvalidValue);
	SAME(INVALID_HANDLE, cudaErrorInvalidResourceHandle);
	SAME(INVALID_FUNCTION, cudaErrorInvalidDeviceFunction);
	SAME(INVALID_DIRECTION, cudaErrorInvalidMemcpyDirection);
	SAME(INVALID_CHANNELS, cudaErrorInvalidChannelDescriptor);
	SAME(NOT_REGISTERED, cudaErrorHostMemoryNotRegistered);
	SAME(ALREADY_REGISTERED, cudaErrorHostMemoryAlreadyRegistered);
	SAME(PEER_NOT_ENABLED, cudaErrorPeerAccessNotEnabled);
	SAME(CAPTURE_IMPLICIT, cudaErrorStreamCaptureImplicit);
	SAME(CAPTURED_EVENT, cudaErrorCapturedEvent);
	SAME(UNSUPPORTED_LIMIT, cudaErrorUnsupportedLimit);
	SAME(ILLEGAL_STATE, cudaErrorIllegalState);
	SAME(ATTRIBUTE_CLUSTER, cudaLaunchAttributeClusterDimension);
	SAME(ATTRIBUTE_PROGRAMMATIC, cudaLaunchAttributeProgrammaticStreamSerialization);
	SAME(ATTRIBUTE_EVENT, cudaLaunchAttributeProgrammaticEvent);
	SAME(ATTRIBUTE_COMPLETION_EVENT, cudaLaunchAttributeLaunchCompletionEvent);
	SAME(FUNCTION_DYNAMIC_SHARED, cudaFuncAttributeMaxDynamicSharedMemorySize);
	SAME(MEMORY_MANAGED, cudaMemoryTypeManaged);
	SAME(ARRAY_GATHER, cudaArrayTextureGather);
	return bad != 0;
}
END
check "layouts of abi.h: compiles" ${CC:-cc} -I"$CUDA/include" -Iui -o "$tmp/layout" "$tmp/layout.c"
check "layouts of abi.h" "$tmp/layout"

# Each field of cudaDeviceProp gets its attribute's number.
cat >"$tmp/properties.c" <<'END'
#include <cuda_runtime_api.h>
#include <stdio.h>
#undef cudaGetDeviceProperties
#define cudaGetDeviceProperties ours
#define cudaDeviceGetAttribute ours_attribute
#define cudaChooseDevice ours_choose
#define dim3 our_dim3
#include "cudart/properties.c"
#undef dim3
struct wire_device link_device = {.name = "name", .memory_bytes = 1 << 20, .constant_bytes = 65536};
int enter_from(const char *call, const void *from) { return 0; }
int leave(int error) { return error; }
int cudart_version(void) { return CUDART_VERSION / 1000; }
bool attribute_value(int attribute, int *value)
{
	*value = attribute;
	return true;
}
static int bad;
#define IS(field, attribute) \
	if ((long long)p.field != (attribute)) bad++, printf("%s: %lld, not %d\n", #field, (long long)p.field, (int)(attribute))
int main(void)
{
	static union {
		struct cudaDeviceProp p;
		unsigned char bytes[2048];
	} u;
	memset(&u, 0xee, sizeof u);
#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
	cudaGetDeviceProperties_v2(&u, 0);
#else
	ours(&u, 0);
#endif
	struct cudaDeviceProp p = u.p;
	if (u.bytes[sizeof p] != 0xee) bad++, printf("more is written than the struct has\n");
	if (u.bytes[sizeof p - 1]) bad++, printf("less is written than the struct has\n");
	IS(totalGlobalMem, 1 << 20);
	IS(totalConstMem, 65536);
	IS(sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock);
	IS(warpSize, cudaDevAttrWarpSize);
	IS(maxThreadsDim[2], cudaDevAttrMaxBlockDimZ);
	IS(maxGridSize[0], cudaDevAttrMaxGridDimX);
	IS(minor, cudaDevAttrComputeCapabilityMinor);
	IS(texturePitchAlignment, cudaDevAttrTexturePitchAlignment);
	IS(multiProcessorCount, cudaDevAttrMultiProcessorCount);
	IS(canMapHostMemory, cudaDevAttrCanMapHostMemory);
	IS(maxTexture2DLinear[2], cudaDevAttrMaxTexture2DLinearPitch);
	IS(maxTexture3DAlt[0], cudaDevAttrMaxTexture3DWidthAlt);
	IS(maxSurface2DLayered[2], cudaDevAttrMaxSurface2DLayeredLayers);
	IS(surfaceAlignment, cudaDevAttrSurfaceAlignment);
	IS(concurrentKernels, cudaDevAttrConcurrentKernels);
	IS(asyncEngineCount, cudaDevAttrAsyncEngineCount);
	IS(memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth);
	IS(l2CacheSize, cudaDevAttrL2CacheSize);
	IS(maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor);
	IS(sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
	IS(managedMemory, cudaDevAttrManagedMemory);
	IS(concurrentManagedAccess, cudaDevAttrConcurrentManagedAccess);
	IS(cooperativeLaunch, cudaDevAttrCooperativeLaunch);
	IS(sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin);
	IS(maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor);
	IS(reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock);
#if CUDART_VERSION >= 12000
	IS(hostRegisterSupported, cudaDevAttrHostRegisterSupported);
	IS(memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported);
	IS(ipcEventSupported, cudaDevAttrIpcEventSupport);
	IS(clusterLaunch, cudaDevAttrClusterLaunch);
#endif
#if CUDART_VERSION >= 13000
	IS(hostNumaId, cudaDevAttrHostNumaId);
	IS(hostNumaMultinodeIpcSupported, cudaDevAttrHostNumaMultinodeIpcSupported);
#endif
	return bad != 0;
}
END
check "cudaDeviceProp: compiles" ${CC:-cc} -D_GNU_SOURCE -I"$CUDA/include" -Iui -o "$tmp/properties" "$tmp/properties.c"
check "cudaDeviceProp" "$tmp/properties"

# Every call of nvcc's library has a row.
rows() {
	nm -D --defined-only "$1" | sed -n 's/.* T \([^@]*\).*/\1/p' | sed 's/_ptsz$//; s/_ptds$//' | sort -u >"$tmp/theirs"
	sed -n 's/^[A-Z]*(\([^,]*\),.*/\1/p' ui/cudart/calls.def | sed 's/_ptsz$//' | sort -u >"$tmp/ours"
	comm -23 "$tmp/theirs" "$tmp/ours" >"$tmp/missing"
	cat "$tmp/missing"
	[ -s "$tmp/theirs" ] && [ ! -s "$tmp/missing" ]
}
for library in "$CUDA"/lib64/libcudart.so.[0-9][0-9]; do
	[ -f "$library" ] && check "rows of calls.def: ${library##*/}" rows "$library"
done
