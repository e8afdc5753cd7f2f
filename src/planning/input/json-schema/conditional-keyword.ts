import { _, type CodeKeywordDefinition, type KeywordCxt, str } from 'ajv/dist/2020.js';

/**
 * `if`, `then` and `else`, where `if` counts among what is evaluated only when it holds, and counts even with neither
 * `then` nor `else`; ajv's own counts it always, or not at all.
 */
export const conditional: CodeKeywordDefinition = {
  keyword: 'if',
  schemaType: ['object', 'boolean'],
  trackErrors: true,
  error: {
    message: ({ params }) => str`must match "${params.clause}" schema`,
    params: ({ params }) => _`{failingKeyword: ${params.clause}}`,
  },
  code(context: KeywordCxt) {
    const { gen, it } = context;
    const valid = gen.let('valid', true);
    const holds = gen.name('_valid');
    const clause = gen.let('clause', _`"then"`);
    context.setParams({ clause });
    const condition = context.subschema(
      { keyword: 'if', compositeRule: true, createErrors: false, allErrors: false },
      holds,
    );
    context.reset();
    context.mergeValidEvaluated(condition, holds);
    const then = it.schema.then === undefined ? undefined : clauseOf('then');
    const otherwise = it.schema.else === undefined ? undefined : clauseOf('else');
    if (then) gen.if(holds, then, otherwise);
    else if (otherwise) gen.if(_`!${holds}`, otherwise);
    context.pass(valid, () => context.error(true));

    function clauseOf(keyword: 'then' | 'else'): () => void {
      return () => {
        const inner = gen.name('_valid');
        const part = context.subschema({ keyword }, inner);
        gen.assign(valid, inner);
        context.mergeValidEvaluated(part, valid);
        gen.assign(clause, _`${keyword}`);
      };
    }
  },
};
