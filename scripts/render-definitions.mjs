// Fills the tables of docs/definitions.md from the JSON Schemas of the formats.

/** What a definition that schemas share is called in a table; these are not looked into. */
const NAMED = {
  json: 'JSON',
  name: 'name',
  ability_id: 'ability id',
  step: 'step',
  branch: 'branch',
};

/** Defaults that a table leaves out: nothing is the same as these. */
const EMPTY = ['`{}`', '`[]`'];

/** The type of a condition or an expression without `${{ }}`. */
const CEL = 'string,boolean,number';

/** Listed once on the page. */
const EFFECTS = 'read,external_read,write_idempotent,write_additive,destructive';

const MARKED = /(<!-- fields:([a-z-]+)(?: (outside|only|without) ([a-z_.,]+))? -->\n)[\s\S]*?(<!-- end -->)/g;

/**
 * Fills what stands between `<!-- fields:NAME -->` and `<!-- end -->`, NAME being a file without `.schema.yaml`.
 *
 * The page describes some fields elsewhere: `outside A,B.C` leaves out what lies in these, `without A,B.C` these as well;
 * `only A,B.C` lists just what lies in them at the top of the file.
 */
export function renderDefinitions(page, formats) {
  return page.replaceAll(MARKED, (_, begin, name, mode, places, end) => {
    const found = formats.find(({ file }) => file === `${name}.schema.yaml`);
    if (!found) throw new Error(`docs/definitions.md asks for the fields of ${name}, which is no format`);
    return `${begin}${renderTable(found.schema, mode, places?.split(',') ?? [])}${end}`;
  });
}

function renderTable(schema, mode, places) {
  const fields = listFields(schema).filter(
    ({ path }) => isInside(mode === 'without' ? `${path}.` : path, places, mode === 'only') === (mode === 'only'),
  );
  const rows = fields.map(({ path, type, standard, text }) => {
    const shown = standard.startsWith('`') ? `default ${standard}` : standard;
    return `| \`${path}\` | ${[type, EMPTY.includes(standard) ? '' : shown].filter(Boolean).join('; ')} | ${text} |`;
  });
  return ['| Field | Type | Meaning |', '|---|---|---|', ...new Set(rows), ''].join('\n');
}

/** The fields of a schema with `path`, `type`, `standard` (**required**, the default, or nothing) and `text`. */
export function listFields(schema) {
  const fields = [...fieldsOf(schema, '', schema)];
  const paths = new Set(fields.map(({ path }) => path));
  // Of a map or a list of such maps, the fields of one.
  return fields.filter(({ path }) => !paths.has(path.replace(/^(.*)\[\]/, '$1')) || !path.includes('[]'));
}

/** Whether a field lies in one of these places, wherever that is: `as.match` is also `hooks[].as[].match`; or only at the top. */
function isInside(path, places, atTop) {
  const parents = path
    .replaceAll(/\[\]|\.<name>/g, '')
    .split('.')
    .slice(0, -1);
  const parent = `.${parents.join('.')}.`;
  return places.some((place) => (atTop ? parent.startsWith(`.${place}.`) : parent.includes(`.${place}.`)));
}

function* fieldsOf(schema, path, root) {
  const required = schema.required ?? [];
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (property.not && Object.keys(property.not).length === 0) continue;
    const at = path === '' ? key : `${path}.${key}`;
    yield {
      path: at,
      type: inCell(typeOf(property, root)),
      standard: standardOf(property, required.includes(key)),
      text: inCell(property.description ?? ''),
    };
    yield* inside(property, at, root);
  }
  for (const variant of schema.anyOf ?? schema.oneOf ?? []) yield* fieldsOf(resolve(variant, root), path, root);
}

function standardOf(property, isRequired) {
  if (isRequired) return '**required**';
  return property.default === undefined ? '' : `\`${json(property.default)}\``;
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
  if (schema.enum?.join() === EFFECTS) return 'effect';
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants?.map(({ type }) => type).join() === CEL) return 'CEL';
  if (variants && !schema.properties) return [...new Set(variants.map((each) => typeOf(each, root)))].join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {}, root)}`;
  if (schema.type === 'object' && isSchema(schema.additionalProperties)) {
    return `map of ${typeOf(schema.additionalProperties, root)}`;
  }
  if (schema.type === 'object') return 'map';
  return [schema.type ?? 'JSON'].flat().join(' or ');
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
