/* loader: the state of one ptx_load, shared by the files that parse, lower and link. Nothing outside front/ptx includes
 * it.
 *
 * The text is read once. Each instruction is lowered as it is parsed, over virtual registers; at a function's end
 * labels are resolved and the passes run; at the module's end (link.c) shared and local memory are laid out and
 * constants are filled. */
#ifndef FRONT_PTX_READER_LOADER_H
#define FRONT_PTX_READER_LOADER_H
#include "base/err.h"
#include "front/ptx/reader/lex.h"
#include "front/ptx/reader/names.h"
#include "ir/ir.h"
#include "passes/liveness.h"
#include "passes/schedule.h"

#define NESTING_MAX 256                /* braces in a function, parentheses and braces in an initialiser */
#define INSTS_MAX (4u << 20)           /* of a module: about 1 GiB of decoded instructions */
#define INIT_BYTES_MAX (256ull << 20)  /* of one initialised variable */
#define VAR_BYTES_MAX (1ull << 40)     /* of one variable */
#define NARROW_BYTES_MAX (16ull << 20) /* of one shared or local variable: the generic windows are that large */

/* Appends one zeroed element to a growing array and yields a pointer to it. Capacity is the next power of two above the
 * count, so a count may also be lowered freely. */
void *grow_array(void *array, u32 n, size_t size);
#define PUSH(array, n) ((array) = grow_array((array), (n), sizeof(*(array))), &(array)[(n)++])

struct graph;
enum name_kind { N_REG, N_RANGE, N_SYM, N_PARAM, N_LABEL, N_FUNC, N_TEXREF, N_SAMPLER, N_PROTO, N_TABLE };
struct name {
	enum name_kind kind;
	enum ptype type;  /* N_REG, N_RANGE, N_PARAM */
	enum space space; /* N_PARAM: SPC_PARAM or SPC_FPARAM */
	struct token at;  /* where it is declared */
	u32 index;        /* virtual register, symbol, function, texref, signature, table; N_LABEL: pc */
	u32 count;        /* N_RANGE */
	u32 offset, size; /* N_PARAM: bytes */
};
struct scope {
	struct names map, ranges; /* -> ld->names; ranges by prefix */
	u32 fparam_mark;          /* FPARAM bytes in use when it was opened */
	u32 first_ref;            /* label references made since */
};
struct label_ref {
	struct token at;
	u32 inst;         /* bra, or */
	s32 table, entry; /* table >= 0: entry of a branch table */
};

struct formal {
	struct token name;
	enum ptype type;
	u32 offset, size, align;
	bool is_pointer, is_reg; /* is_reg: declared .reg; its register is loaded at entry (stored at ret) */
};
struct sig { /* of a function or .callprototype */
	struct formal *in, *out;
	u32 nin, nout, in_bytes, out_bytes;
};
struct finfo { /* beside each module->funcs[] */
	struct token at;
	u32 sig;
	bool defined, is_extern, address_taken;
	s32 alias; /* function it stands for or -1 */
	u32 max_live;
};
struct edge { /* a call */
	u32 caller, inst, live;
	s32 callee; /* -1: through a register, */
	u32 sig;    /* any function with this shape */
	struct token at;
};
struct symuse {
	u32 func;
	u32 sym;
};
struct syminfo { /* beside each module->symbols[] */
	struct token at;
	bool is_extern, used;
};
struct cst { /* a pool entry */
	u64 value;
	s32 sym, func; /* address of a symbol, a function */
	s32 owner;     /* dynamic shared array: the function that refers to it; else -1 */
	u32 at;
	u8 bytes; /* 4, 8 */
	bool generic;
	u32 next; /* hash chain, index + 1 */
};
struct abs_fix { /* address [sym + imm] of shared or local memory: imm += the symbol's offset */
	u32 inst, sym;
};

/* Linking directives. A name with any of them means the same in all files of a module; others are a file's own. */
enum { LINK_EXTERN = 1, LINK_VISIBLE = 2, LINK_WEAK = 4, LINK_COMMON = 8 };

struct loader {
	struct module *m;
	struct err *e;
	struct lexer lx;
	struct token tok, ahead;
	bool failed;

	struct name *names;
	u32 nnames, names_mark; /* mark: module-level names end here */
	struct scope *scopes;   /* [0] = module */
	u32 nscopes;
	u32 linkage;   /* of the module-level directive being read: set of LINK_* */
	u32 file_base; /* .file 0 of this file in module->files */
	/* Of several files (linkage.c): */
	struct names shared_names; /* names with a linking directive -> ld->names */
	struct names defined;      /* names that some file defines for all -> definitions */
	struct definition *definitions;
	u32 ndefinitions;
	struct names opcodes; /* opcode name -> row of the opcode table (opform.c) */

	/* parallel to the module's arrays */
	struct finfo *finfo;
	u32 nfinfo;
	struct syminfo *syminfo;
	u32 nsyminfo;
	struct place {
		const char *p;
		u32 line, col;
	} * inst_at; /* the opcode of each instruction in the text */
	u32 ninst_at;

	struct sig *sigs;
	u32 nsigs;
	struct edge *edges;
	u32 nedges;
	struct symuse *uses;
	u32 nuses;
	struct abs_fix *abs_fixes;
	u32 nabs_fixes;
	struct cst *csts;
	u32 ncsts, *cst_heads;
	u32 ncst_heads;

	/* the function being read */
	s32 fn;     /* index or -1 */
	u8 *vclass; /* per virtual register */
	u32 nvclass;
	struct vreg_name {
		const char *p;
		u32 len;
		enum ptype type;
	} * vnames;
	u32 nvnames;
	struct label_ref *refs;
	u32 nrefs;
	struct reg_out {
		u32 vreg, offset;
		enum ptype type;
	} * reg_out; /* results declared .reg */
	u32 nreg_out;
	u32 carry; /* OPND_NONE until used */
	u32 stack; /* where its stack ends (lower_stack.c), OPND_NONE: it has none */
	u32 stack_sym;
	bool stack_known, stack_words; /* does the module's text have alloca and the like? */
	u32 fparam_used, fparam_max;
	u32 cuda_line; /* of the latest .loc */
	u16 cuda_file;
	u32 nbarriers;
	bool odd_regs; /* the function has registers of a shape that is not supported: so is whatever does not fit them */
	/* The instruction being read is right in form, but not supported: where and why (unsupported.c). */
	bool unsupported;
	struct token why_at;
	char why[400];
	const struct schedule_params *schedule; /* or NULL: the order of the text */
};

/* Errors: fill *e with "path:line:col: ..." and return false. The first one wins. */
bool ld_fail(struct loader *ld, const struct token *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool ld_expected(struct loader *ld, const char *what); /* about ld->tok */
/* Of an instruction: it may be right, but is not supported. Kernels that reach it cannot be launched; the rest of the
 * file is read. Returns false as an error does. */
bool ld_unsupported(struct loader *ld, const struct token *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#define TEXT(t) tok_text((t), (char[TOK_TEXT_MAX]){0})

/* --- reader.c: tokens, scopes, names --- */
void ld_next(struct loader *ld);
bool ld_accept(struct loader *ld, char punct); /* moves on when it is there */
bool ld_accept_mod(struct loader *ld, const char *word);
bool ld_expect(struct loader *ld, char punct);
bool ld_ident(struct loader *ld, struct token *out, const char *what);
bool ld_u32(struct loader *ld, u32 *out, const char *what, u32 max);
void scope_open(struct loader *ld);
void scope_close(struct loader *ld); /* resolves references to its labels */
/* A new name in the innermost scope; NULL with an error when it is taken. The pointer is good until the next
 * declaration. */
struct name *name_declare(struct loader *ld, const struct token *at, enum name_kind kind);
struct name *name_find(struct loader *ld,
                       const struct token *at); /* NULL when unknown; no error. Makes registers of ranges. */
void label_refer(struct loader *ld, const struct token *at, u32 inst, s32 table, s32 entry);
u32 vreg_new(struct loader *ld, enum ptype type, const struct token *name /* or NULL */);
bool parse_type(struct loader *ld, enum ptype *t); /* at a TK_MOD */
enum ptype type_of_word(const char *p, u32 len);   /* T_NONE when it is no type */

/* --- expr.c --- */
bool parse_const_expr(struct loader *ld, u64 *out); /* integer constant expression */

/* --- pool.c --- */
opnd pool_value(struct loader *ld, u64 value, u32 bytes);
opnd pool_symbol(struct loader *ld, u32 sym, s64 add, u32 bytes, bool generic);
opnd pool_func(struct loader *ld, u32 func, u32 bytes);
bool pool_build(struct loader *ld); /* after layout: makes module->pool and fixes */

/* --- decl.c, init.c --- */
bool parse_var(struct loader *ld, enum space space, bool is_extern); /* after the state space; up to and with ';' */
bool parse_init(struct loader *ld, struct symbol *sym, enum ptype type, u32 vec, const u64 *dims, u32 ndims);
bool parse_reg(struct loader *ld);
bool parse_signature(struct loader *ld, bool is_kernel, bool is_proto, struct sig *out, struct token *name);

/* --- order.c: list scheduling of the function just read, over virtual registers. --- */
struct reorder { /* to put it back */
	struct schedule_limits limits;
	u32 *pcs; /* pcs[i] = where instruction begin + i stood; NULL: nothing moved */
	u32 first_fix;
};
void reorder_code(struct loader *ld, const struct fn *f, const struct cfg *g, const struct liveness *l,
                  struct reorder *r);
void reorder_undo(struct loader *ld, const struct fn *f, struct reorder *r);
void reorder_release(struct reorder *r);
/* --- unsupported.c --- */
struct stmt;
struct mark { /* what an instruction adds to, to be taken back */
	struct lexer lx;
	struct token tok, ahead;
	u32 ncode, ninst_at, nabs_fixes, nedges, nrefs, ncalls, fparam_used;
};
struct mark mark_take(const struct loader *ld);
/* Behind an instruction's guard, when its lowering has failed since the mark: puts a placeholder in its place when it
 * is not supported and its text has the form of an instruction; else false, with the error. */
bool replace_unsupported(struct stmt *s, const struct mark *m);
/* A directive in a function: notes it, and skips what follows up to where another thing begins. */
bool skip_directive(struct loader *ld, u32 func, const struct token *at, bool in_body);
/* Notes what the function has that is not supported; returns its index. */
u32 note_unsupported(struct loader *ld, u32 func, u32 line, u32 col, const char *what);
void code_unsupported(struct loader *ld, u32 pc, const char *what); /* an instruction that is emitted already */
void spread_unsupported(struct loader *ld, struct graph *g);        /* at the end: to all functions that reach it */
/* --- needs.c --- */
void spread_needs(struct loader *ld, struct graph *g); /* func.need_sm of all functions */
/* --- lower_stack.c --- */
/* At the begin of a function's body: its stack, if it uses one. */
bool stack_begin(struct loader *ld);
/* --- func.c --- */
bool parse_function(struct loader *ld, bool is_kernel, bool is_extern);
/* --- body.c --- */
bool parse_body(struct loader *ld); /* behind the '{', up to its '}' (which stays) */
bool parse_file(struct loader *ld); /* behind .file */
bool parse_loc(struct loader *ld);  /* behind .loc */
bool skip_pragma(struct loader *ld);
bool finish_body(struct loader *ld, u32 begin);                 /* a last ret where control could run off the end */
bool load_reg_params(struct loader *ld, const struct sig *sig); /* declares parameters that are .reg, loads them */

/* --- linkage.c: several files --- */
static inline const char *linked_what(const struct loader *ld) /* for messages */
{
	return ld->m->nparts > 1 ? "any of the files linked" : "this module";
}
bool linkage_scan(struct loader *ld); /* before anything is parsed */
/* Is this definition (its name, at module level) not the one that counts? */
bool linkage_overruled(const struct loader *ld, const struct token *at);
bool linkage_has(const struct loader *ld, const struct token *at); /* does some file define it for all? */
/* What an earlier file declared by this name, when the directive being read shares it; or NULL. */
struct name *linkage_find(struct loader *ld, const struct token *at);
void linkage_share(struct loader *ld, const struct token *at); /* later files find the name just declared */
bool linkage_skip_body(struct loader *ld);                     /* at '{': behind its '}' */
bool linkage_skip_value(struct loader *ld);                    /* an initialiser, if there is one */
/* A lexer over one file of the module; lines count through all of them. */
void module_lexer(const struct module *m, u32 part, struct lexer *lx);

/* --- link.c --- */
bool link_module(struct loader *ld);
#endif
