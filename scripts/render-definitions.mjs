// Fills the tables of docs/definitions.md from the JSON Schemas of the formats.

/** What a definition that schemas share is called in a table; these are not looked into. */
const NAMED = {
  json: 'any JSON',
  name: 'name',
  ability_id: 'ability id',
  step: 'step',
  branch: 'branch',
};

const MARKED = /(<!-- fields:([a-z-]+)(?: outside ([a-z_]+))? -->\n)[\s\S]*?(<!-- end -->)/g;

/**
 * Fills what stands between `<!-- fields:NAME -->` and `<!-- end -->`, NAME being a file without `.schema.yaml`.
 *
 * `<!-- fields:NAME outside FIELD -->` leaves out what lies in a field, which is then told elsewhere.
 */
export function renderDefinitions(page, formats) {
  return page.replaceAll(MARKED, (_, begin, name, outside, end) => {
    const found = formats.find(({ file }) => file === `${name}.schema.yaml`);
    if (!found) throw new Error(`docs/definitions.md asks for the fields of ${name}, which is no format`);
    return `${begin}${renderTable(found.schema, outside)}${end}`;
  });
}

function renderTable(schema, outside) {
  const fields = [...fieldsOf(schema, '', schema)].filter(
    ({ path }) => !path.split('.').slice(0, -1).includes(outside),
  );
  const rows = fields.map((field) => {
    const standard = field.required ? '**required**' : field.default === undefined ? '' : `\`${json(field.default)}\``;
    return `| \`${field.path}\` | ${field.type} | ${standard} | ${field.text} |`;
  });
  return ['| Field | Type | Default | Meaning |', '|---|---|---|---|', ...new Set(rows), ''].join('\n');
}

function* fieldsOf(schema, path, root) {
  const required = schema.required ?? [];
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (property.not && Object.keys(property.not).length === 0) continue;
    const at = path === '' ? key : `${path}.${key}`;
    yield {
      path: at,
      type: inCell(typeOf(property, root)),
      required: required.includes(key),
      default: property.default,
      text: inCell(property.description ?? ''),
    };
    yield* inside(property, at, root);
  }
  for (const variant of schema.anyOf ?? schema.oneOf ?? []) yield* fieldsOf(resolve(variant, root), path, root);
}

function* inside(property, at, root) {
  if (refOf(property)) return;
  if (property.items) yield* within(property.items, `${at}[]`, root);
  if (isSchema(property.additionalProperties)) yield* within(property.additionalProperties, `${at}.<name>`, root);
  yield* within(property, at, root);
}

function* within(schema, at, root) {
  if (refOf(schema)) return;
  if (schema.properties) yield* fieldsOf(schema, at, root);
  else for (const variant of schema.anyOf ?? schema.oneOf ?? []) yield* inside(variant, at, root);
}

function typeOf(schema, root) {
  const name = refOf(schema);
  if (name) return NAMED[name] ?? typeOf(root.definitions[name], root);
  if (schema.const !== undefined) return `\`${json(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants && !schema.properties) return [...new Set(variants.map((each) => typeOf(each, root)))].join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {}, root)}`;
  if (schema.type === 'object' && isSchema(schema.additionalProperties)) {
    return `map of ${typeOf(schema.additionalProperties, root)}`;
  }
  if (schema.type === 'object') return 'map';
  return [schema.type ?? 'any JSON'].flat().join(' or ');
}

function refOf(schema) {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return ref?.replace('#/definitions/', '');
}

function resolve(schema, root) {
  const name = refOf(schema);
  return name && !NAMED[name] ? root.definitions[name] : schema;
}

function isSchema(value) {
  return value !== null && typeof value === 'object' && Object.keys(value).length > 0;
}

function json(value) {
  return JSON.stringify(value);
}

function inCell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
