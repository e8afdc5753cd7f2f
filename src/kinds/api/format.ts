import { z } from 'zod';
import { API_ANSWERS, API_BODY_TYPES, API_PLACES, API_STYLES } from '../../contracts/api.js';
import { faultsOfApi } from '../../definitions/formats/api-faults.js';
import {
  bigIntegers,
  CREDENTIAL_MESSAGE,
  json,
  matching,
  optional,
  plainName,
  seconds,
  text,
} from '../../definitions/formats/values.js';

const CREDENTIAL = /\{credential:[^}]*\}/;

/** A path with `{name}` and `{+name}`; anything else would be sent escaped. */
const apiPath = z.string().superRefine((path, context) => {
  const message = faultOfPath(path);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

function faultOfPath(path: string): string | undefined {
  if (path.includes('{credential:')) {
    return 'A path cannot contain a credential, since paths are logged; send it in `headers` or `auth`';
  }
  if (path.includes('${{')) return 'A path cannot contain `${{ }}`; write {name} for the input of that name';
  if (path.includes('?')) return 'A path cannot contain `?`; set the parameters under `query`';
  if (path.includes('#')) return 'A path cannot contain `#`; what follows it is never sent';
  if (!/[{}]/.test(path.replaceAll(/\{\+?[A-Za-z_][A-Za-z0-9_.-]*\}/g, ''))) return undefined;
  return 'Insert an input into a path as {name}, or as {+name} to keep slashes';
}

/** A part of a request that logs or records show; a credential there would be sent literally. */
const withoutCredentials = json.refine(
  (value) => !JSON.stringify(value).includes('{credential:'),
  'Only `headers` and `auth` may contain {credential:NAME}, such as `Authorization: "Bearer {credential:token}"`',
);

/** The place of one input. The allowed keys depend on the place, see {@link faultsOfApi}. */
const param = z.strictObject({
  in: z.enum(API_PLACES).describe('The place: query, header, path and so on.'),
  name: optional(text, 'Its name in the API; without it, the name of the input.'),
  style: optional(z.enum(API_STYLES), 'How a list or map is written.'),
  explode: optional(z.boolean(), 'Whether each item is a parameter of its own.'),
  allow_reserved: optional(z.literal(true), 'Keeps reserved characters as they are.'),
});

const contentType = matching(
  /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+(;[\x20-\x7e]+)?$/,
  'A content type looks like application/merge-patch+json',
);

const body = z.strictObject({
  type: z.enum(API_BODY_TYPES).default('json').describe('How the body is written.'),
  content_type: optional(contentType, 'The media type that is sent.'),
  value: optional(withoutCredentials, 'The body as a template, with ${{ }}.'),
  required: optional(z.literal(true), 'Sends the body even if none of its fields is set, as `{}`.'),
});

/** The value may be a secret, so no error may repeat it. */
const silently = {
  error: ({ code }: { code?: string }): string | undefined =>
    code === 'invalid_type' ? CREDENTIAL_MESSAGE : undefined,
};

/** A text that may name credentials but holds nothing of the input. */
const secretText = z.string(silently).refine((text) => !text.includes('${{'), CREDENTIAL_MESSAGE);

const basic = z
  .strictObject(
    {
      user: secretText.describe('The user, such as {credential:user}.'),
      password: secretText.describe('The password, such as {credential:password}.'),
    },
    silently,
  )
  .refine(({ user, password }) => CREDENTIAL.test(user) || CREDENTIAL.test(password), CREDENTIAL_MESSAGE);

const credentialText = secretText.refine((text) => CREDENTIAL.test(text), CREDENTIAL_MESSAGE);

const auth = z
  .strictObject(
    {
      basic: optional(basic, 'User and password, sent as the Authorization header.'),
      query: optional(
        z.record(text, credentialText, silently),
        'Parameters of the query that hold credentials; masked in logs.',
      ),
    },
    silently,
  )
  .refine(({ basic, query }) => basic !== undefined || Object.keys(query ?? {}).length > 0, {
    message: '`auth` has `basic` or `query`',
  });

const headerName = matching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'This is no name of a header');

const response = z
  .strictObject({
    as: optional(z.enum(API_ANSWERS), 'As json, text or base64; without it, json or else text.'),
    big_integers: bigIntegers.optional(),
    headers: optional(
      z.array(headerName).min(1, 'At least one header belongs here; leave `headers` out for none'),
      'Headers that are part of the output, which is then { body, headers }.',
    ),
    status: optional(
      z.literal(true),
      'Makes the status part of the output, as { status, body }. From 300 on the call still fails.',
    ),
  })
  .refine(
    ({ as, headers, big_integers, status }) => (as ?? headers ?? big_integers ?? status) !== undefined,
    '`response` has `as`, `headers`, `status` or `big_integers`',
  )
  .refine(
    ({ as, big_integers }) => big_integers === undefined || as === undefined || as === 'json',
    '`big_integers` belongs to an answer that is read as JSON',
  );

/** An HTTP call. Source: R-000-50; docs/definitions.md; docs/api-calls.md. */
export const api = z
  .strictObject({
    method: z
      .enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      .default('GET')
      .describe('The HTTP method.'),
    path: apiPath
      .default('/')
      .describe('The path, with {name} for the input of that name, and {+name} to keep its slashes.'),
    service: optional(plainName, 'An entry of `services` in registry/config, whose endpoints and credentials it uses.'),
    endpoint: plainName.default('default').describe('Which of `endpoints` in the configuration is the base URL.'),
    params: optional(
      z.record(text, param),
      'Where inputs are sent, by input; only needed if it differs from the default.',
    ),
    query: optional(z.record(z.string(), withoutCredentials), 'Parameters of the query, with ${{ }}.'),
    headers: optional(z.record(z.string(), z.string()), 'Headers, with ${{ }}; may contain {credential:NAME}.'),
    body: optional(body, 'The body; without it, the input that nothing else uses.'),
    auth: optional(auth, 'How the call authenticates, if a header is not enough.'),
    response: optional(response, 'How the answer is read.'),
    rate_limit: optional(
      z.strictObject({
        per_minute: optional(z.number().int().positive(), 'Per minute.'),
        per_day: optional(z.number().int().positive(), 'Per day.'),
      }),
      'The maximum number of calls that a worker makes.',
    ),
    timeout_sec: optional(seconds, 'How long a call may take; 60 without it.'),
  })
  .superRefine((section, context) => {
    for (const { message, path } of faultsOfApi(section)) context.addIssue({ code: 'custom', message, path });
  });

export const apiKind = { kind: z.literal('api').describe('An HTTP call.'), api: api.describe('The call.') };
