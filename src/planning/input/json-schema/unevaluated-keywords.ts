import { _, type Code, type CodeKeywordDefinition, type KeywordCxt, Name, str, stringify } from 'ajv/dist/2020.js';

/** How ajv tells an index from a key; its own names for these are not exported as values. */
const [NUMBER, TEXT] = [0, 1];

/**
 * `unevaluatedItems` that also sees where a part, of which only the value decides whether it holds, has evaluated all
 * items; ajv's own compares that with a number.
 */
export const unevaluatedItems: CodeKeywordDefinition = {
  keyword: 'unevaluatedItems',
  type: 'array',
  schemaType: ['boolean', 'object'],
  error: {
    message: ({ params: { length } }) => str`must NOT have more than ${length} items`,
    params: ({ params: { length } }) => _`{limit: ${length}}`,
  },
  code(context: KeywordCxt) {
    const { gen, schema, data, it } = context;
    const evaluated = it.items ?? 0;
    if (evaluated === true) return;
    const from = gen.const('from', evaluated instanceof Name ? _`${evaluated} || 0` : _`${evaluated}`);
    const valid = gen.let('valid', _`${from} === true || ${data}.length <= ${from}`);
    it.items = true;
    if (schema === false) {
      context.setParams({ length: from });
      context.fail(_`!${valid}`);
      return;
    }
    gen.if(_`!${valid}`, () => eachFrom(from, valid));
    context.ok(valid);

    function eachFrom(first: Name, all: Name): void {
      gen.assign(all, true);
      const inner = gen.name('_valid');
      gen.forRange('i', first, _`${data}.length`, (index) => {
        context.subschema({ keyword: 'unevaluatedItems', dataProp: index, dataPropType: NUMBER }, inner);
        gen.if(_`!${inner}`, () => gen.assign(all, false));
      });
    }
  },
};

/**
 * `unevaluatedProperties` that tells a property which was evaluated from a name that every object has, such as
 * `toString`.
 */
export const unevaluatedProperties: CodeKeywordDefinition = {
  keyword: 'unevaluatedProperties',
  type: 'object',
  schemaType: ['boolean', 'object'],
  error: {
    message: 'must NOT have unevaluated properties',
    params: ({ params }) => _`{unevaluatedProperty: ${params.unevaluatedProperty}}`,
  },
  code(context: KeywordCxt) {
    const { gen, schema, data, it } = context;
    const { props } = it;
    if (props === true) return;
    const valid = gen.let('valid', true);
    const check = (): void => {
      gen.forOf('key', _`Object.keys(${data})`, (key) => gen.if(isNew(key), () => checkOne(key)));
    };
    if (props instanceof Name) gen.if(_`${props} !== true`, check);
    else check();
    it.props = true;
    context.ok(valid);

    function isNew(key: Name): Code {
      if (props instanceof Name) return _`!${props} || !Object.hasOwn(${props}, ${key})`;
      const known = Object.entries(props ?? {}).flatMap(([name, isKnown]) => (isKnown === true ? [name] : []));
      return _`!${stringify(known)}.includes(${key})`;
    }

    function checkOne(key: Name): void {
      if (schema === false) {
        context.setParams({ unevaluatedProperty: key });
        context.error();
        gen.assign(valid, false);
        return;
      }
      const inner = gen.name('_valid');
      context.subschema({ keyword: 'unevaluatedProperties', dataProp: key, dataPropType: TEXT }, inner);
      gen.if(_`!${inner}`, () => gen.assign(valid, false));
    }
  },
};
