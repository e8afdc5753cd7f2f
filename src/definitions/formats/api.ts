import { z } from 'zod';
import { API_ANSWERS, API_BODY_TYPES, API_PLACES, API_STYLES } from '../../contracts/api.js';
import { faultsOfApi } from './api-faults.js';
import { bigIntegers, CREDENTIAL_MESSAGE, json, plainName, seconds } from './values.js';

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
  in: z.enum(API_PLACES),
  /** Its name in the API; default: the name of the input. */
  name: z.string().min(1).optional(),
  style: z.enum(API_STYLES).optional(),
  explode: z.boolean().optional(),
  allow_reserved: z.literal(true).optional(),
});

const body = z.strictObject({
  type: z.enum(API_BODY_TYPES).default('json'),
  content_type: z
    .string()
    .regex(
      /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+(;[\x20-\x7e]+)?$/,
      'A content type looks like application/merge-patch+json',
    )
    .optional(),
  /** The body as a template; absent: the inputs that nothing else uses. */
  value: withoutCredentials.optional(),
  /** Send a body, such as `{}`, even if none of its fields is given. */
  required: z.literal(true).optional(),
});

/** The value may be a secret, so no error may repeat it. */
const silently = {
  error: ({ code }: { code?: string }): string | undefined =>
    code === 'invalid_type' ? CREDENTIAL_MESSAGE : undefined,
};

/** A text that may name credentials but holds nothing of the input. */
const secretText = z.string(silently).refine((text) => !text.includes('${{'), CREDENTIAL_MESSAGE);

const basic = z
  .strictObject({ user: secretText, password: secretText }, silently)
  .refine(({ user, password }) => CREDENTIAL.test(user) || CREDENTIAL.test(password), CREDENTIAL_MESSAGE);

const auth = z
  .strictObject(
    {
      basic: basic.optional(),
      query: z
        .record(
          z.string().min(1),
          secretText.refine((text) => CREDENTIAL.test(text), CREDENTIAL_MESSAGE),
          silently,
        )
        .optional(),
    },
    silently,
  )
  .refine(({ basic, query }) => basic !== undefined || Object.keys(query ?? {}).length > 0, {
    message: '`auth` has `basic` or `query`',
  });

const response = z
  .strictObject({
    as: z.enum(API_ANSWERS).optional(),
    big_integers: bigIntegers.optional(),
    headers: z
      .array(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'This is no name of a header'))
      .min(1, 'At least one header belongs here; leave `headers` out for none')
      .optional(),
    status: z.literal(true).optional(),
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
    method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']).default('GET'),
    path: apiPath.default('/'),
    service: plainName
      .optional()
      .describe('An entry of `services` in registry/config, whose endpoints and credentials it uses.'),
    endpoint: plainName.default('default'),
    params: z.record(z.string().min(1), param).optional(),
    query: z.record(z.string(), withoutCredentials).optional(),
    headers: z.record(z.string(), z.string()).optional(),
    body: body.optional(),
    auth: auth.optional(),
    response: response.optional(),
    rate_limit: z
      .strictObject({
        per_minute: z.number().int().positive().optional(),
        per_day: z.number().int().positive().optional(),
      })
      .optional(),
    timeout_sec: seconds.optional(),
  })
  .superRefine((section, context) => {
    for (const { message, path } of faultsOfApi(section)) context.addIssue({ code: 'custom', message, path });
  });
