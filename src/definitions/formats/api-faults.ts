import type { ApiBodyType, ApiPlace, ApiStyle } from '../../contracts/api.js';
import { defaultStyle, STYLES_IN } from '../api-styles.js';

interface Param {
  in: ApiPlace;
  name?: string | undefined;
  style?: ApiStyle | undefined;
  explode?: boolean | undefined;
  allow_reserved?: true | undefined;
}

export interface ApiParts {
  method: string;
  path: string;
  params?: Record<string, Param> | undefined;
  query?: Record<string, unknown> | undefined;
  headers?: Record<string, string> | undefined;
  body?:
    | { type: ApiBodyType; content_type?: string | undefined; value?: unknown; required?: true | undefined }
    | undefined;
  auth?: { basic?: unknown; query?: Record<string, string> | undefined } | undefined;
  response?: { headers?: string[] | undefined } | undefined;
}

export interface ApiFault {
  message: string;
  path: PropertyKey[];
}

/** The characters that RFC 9110 allows in names of headers and cookies. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Headers of the connection: outside values could change where a request ends or whom it reaches. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
]);

const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Finds contradictions in an `api` section, so that loading refuses it. */
export function* faultsOfApi(api: ApiParts): Generator<ApiFault> {
  for (const [key, param] of Object.entries(api.params ?? {})) yield* faultsOfParam(key, param, api);
  yield* faultsOfPath(api);
  yield* faultsOfNames(api);
  yield* faultsOfBody(api);
  yield* faultsOfHeaders(api);
}

function* faultsOfParam(key: string, param: Param, { body, method }: ApiParts): Generator<ApiFault> {
  const at = (member: keyof Param): PropertyKey[] => ['params', key, member];
  const { explode, allow_reserved } = param;
  const name = param.name ?? key;
  const place = param.in;
  const named = param.name === undefined ? ['params', key] : at('name');
  if (name === '__proto__') yield { path: named, message: 'This name reaches into the objects of JavaScript' };
  if ((place === 'header' || place === 'cookie') && !TOKEN.test(name)) {
    yield { path: named, message: `This is no name of a ${place}; write one as \`name\`` };
  }
  if (place === 'header' && OF_THE_CONNECTION.has(name.toLowerCase())) {
    yield { path: named, message: 'This header belongs to the connection, and is not taken from the input' };
  }
  if (place === 'body' && WITHOUT_BODY.has(method)) {
    yield { path: at('in'), message: `A ${method} has no body; use \`in: query\`, or another \`method\`` };
  }
  if (place === 'body' && body?.type !== 'form') {
    const said = (['style', 'explode', 'allow_reserved'] as const).find((member) => param[member] !== undefined);
    if (said) yield { path: at(said), message: `In a body \`${said}\` is for forms: \`body: { type: form }\`` };
    return;
  }
  const style = param.style ?? defaultStyle(place);
  if (!STYLES_IN[place].includes(style)) {
    const possible = STYLES_IN[place].join(', ');
    yield { path: at('style'), message: `\`in: ${place}\` has no style ${style}; it has ${possible}` };
    return;
  }
  if (style === 'json' && explode !== undefined) {
    yield { path: at('explode'), message: '`style: json` is one text and has no `explode`' };
  }
  if (style === 'deepObject' && explode === false) {
    yield { path: at('explode'), message: '`style: deepObject` always explodes; leave `explode` out' };
  }
  if (allow_reserved && place !== 'query' && place !== 'body') {
    yield { path: at('allow_reserved'), message: '`allow_reserved` is for `in: query` and for forms' };
  }
}

/** The parameters in the path and those declared for it must match. */
function* faultsOfPath({ path, params = {} }: ApiParts): Generator<ApiFault> {
  const holes = new Map([...path.matchAll(/\{(\+?)([^{}]*)\}/g)].map(([, plus, name]) => [name ?? '', plus === '+']));
  const filled = new Set<string>();
  for (const [key, param] of Object.entries(params)) {
    if (param.in !== 'path') continue;
    const name = param.name ?? key;
    filled.add(name);
    if (!holes.has(name)) {
      const member = param.name === undefined ? 'in' : 'name';
      yield { path: ['params', key, member], message: `The path ${path} has no {${name}}` };
    } else if (holes.get(name) && param.style !== undefined && param.style !== 'simple') {
      yield { path: ['params', key, 'style'], message: `{+${name}} keeps slashes, which only \`style: simple\` can` };
    }
  }
  for (const name of holes.keys()) {
    const other = Object.hasOwn(params, name) ? params[name] : undefined;
    if (filled.has(name) || other === undefined) continue;
    const instead = `write another input with \`{ in: path, name: ${name} }\``;
    yield {
      path: ['params', name, 'in'],
      message: `The path needs {${name}}, and this sends the input elsewhere; ${instead}`,
    };
  }
}

/** Each name of a place may have only one value. */
function* faultsOfNames({ params = {}, query = {}, headers = {}, auth }: ApiParts): Generator<ApiFault> {
  const taken = new Map<string, string>();
  for (const name of Object.keys(query)) taken.set(`query ${name}`, '`query`');
  for (const [name, template] of Object.entries(headers)) {
    taken.set(`header ${name.toLowerCase()}`, '`headers`');
    for (const cookie of cookieNames(name, template)) taken.set(`cookie ${cookie}`, `\`headers.${name}\``);
  }
  for (const name of Object.keys(auth?.query ?? {})) {
    const other = taken.get(`query ${name}`);
    if (other) yield { path: ['auth', 'query', name], message: `${other} sets the parameter ${name} as well` };
    taken.set(`query ${name}`, '`auth.query`');
  }
  if (auth?.basic !== undefined) {
    if (taken.has('header authorization')) {
      yield { path: ['auth', 'basic'], message: '`headers` sets Authorization as well' };
    }
    taken.set('header authorization', '`auth.basic`');
  }
  for (const [key, param] of Object.entries(params)) {
    const name = param.name ?? key;
    const place = `${param.in} ${param.in === 'header' ? name.toLowerCase() : name}`;
    const other = taken.get(place);
    if (other) {
      const path = ['params', key, ...(param.name === undefined ? [] : ['name'])];
      yield { path, message: `${other} sets the ${param.in} ${name} as well; set each name only once` };
    }
    taken.set(place, `\`params.${key}\``);
  }
}

function* faultsOfBody({ method, body, params = {} }: ApiParts): Generator<ApiFault> {
  if (!body) return;
  const { type, content_type, value, required } = body;
  if (WITHOUT_BODY.has(method)) {
    yield { path: ['body'], message: `A ${method} has no body; use \`query\`, or another \`method\`` };
  }
  if ((type === 'text' || type === 'binary') && value === undefined) {
    yield { path: ['body'], message: `A ${type} body needs its \`value\`, such as "\${{ input.content }}"` };
  }
  if (required && value !== undefined) {
    const message = '`body.required` is for a body of fields; `value` is sent whenever it is given';
    yield { path: ['body', 'required'], message };
  }
  for (const [key, param] of Object.entries(params)) {
    if (param.in !== 'body') continue;
    const path = ['params', key, 'in'];
    if (value !== undefined) yield { path, message: '`body.value` is the whole body; use it, or `in: body`, not both' };
    else if (type === 'text' || type === 'binary') yield { path, message: `A ${type} body has no fields` };
  }
  const wanted = type === 'form' ? 'application/x-www-form-urlencoded' : type === 'multipart' ? 'multipart/' : '';
  if (content_type !== undefined && !content_type.toLowerCase().startsWith(wanted)) {
    yield { path: ['body', 'content_type'], message: `A ${type} body is sent as ${wanted}` };
  }
  if (type === 'multipart' && /;\s*boundary=/i.test(content_type ?? '')) {
    yield { path: ['body', 'content_type'], message: 'The boundary of a multipart body is chosen for each call' };
  }
}

function* faultsOfHeaders({ params = {}, headers = {}, body, response }: ApiParts): Generator<ApiFault> {
  if (body && (body.content_type !== undefined || body.type !== 'json')) {
    const message = '`body` sets the content type; leave the header out';
    for (const name of Object.keys(headers)) {
      if (name.toLowerCase() === 'content-type') yield { path: ['headers', name], message };
    }
    for (const [key, param] of Object.entries(params)) {
      if (param.in === 'header' && (param.name ?? key).toLowerCase() === 'content-type') {
        yield { path: ['params', key], message };
      }
    }
  }
  const seen = new Set<string>();
  for (const [index, name] of (response?.headers ?? []).entries()) {
    const path = ['response', 'headers', index];
    if (seen.has(name.toLowerCase())) yield { path, message: 'This header is listed twice' };
    if (name.toLowerCase() === 'set-cookie') {
      yield { path, message: 'Set-Cookie contains a secret, which an output would show' };
    }
    seen.add(name.toLowerCase());
  }
}

/** The names of cookies in a `Cookie` header; empty for other headers. */
export function cookieNames(header: string, value: string): string[] {
  if (header.toLowerCase() !== 'cookie') return [];
  return value.split(';').map((pair) => pair.split('=', 1)[0]?.trim() ?? '');
}
