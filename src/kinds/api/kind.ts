import { ATTRIBUTES } from '../../contracts/traces.js';
import { PLAIN, referencesOf, type WrittenKind } from '../kind.js';

/** The server that decides the placement of HTTP calls. */
export const HTTP = 'http';

/** Methods that change something by the definition of HTTP. POST is not among them: it may be a search. */
const CHANGING_METHODS: ReadonlySet<string> = new Set(['DELETE', 'PUT', 'PATCH']);

const urlOf = ({ base_url, path }: { base_url: string; path: string }): string =>
  `${base_url.replace(/\/$/, '')}${path}`;

export const api: WrittenKind<'api'> = {
  ...PLAIN,
  settings: ['endpoints', 'credentials'],
  describe: (implementation) => `${implementation.api.method} ${urlOf(implementation.api)}`,
  describeFully: (implementation) => api.describe(implementation),
  tool: (_, key) => `${HTTP}:${key}`,
  writtenTool: (_, key) => `${HTTP}:${key}`,
  credentials: (implementation) => referencesOf(implementation.api.credentials, 'credential'),
  answersFile: (implementation) => implementation.api.response?.as === 'file',
  rateLimit: (implementation) => implementation.api.rate_limit,
  place: (implementation) => ({ kind: 'api', method: implementation.api.method, url: urlOf(implementation.api) }),
  renderPlace: ({ method, url }, { code }) => `Request: ${code(`${method} ${url}`)}`,
  attributes: (implementation) => ({
    [ATTRIBUTES.toolType]: 'extension',
    [ATTRIBUTES.httpMethod]: implementation.api.method,
  }),
  isRequest: () => true,
  writtenAnswerIsFile: (body) => body.api.response?.as === 'file',
  timeoutSec: (body) => body.api.timeout_sec,
  signOfChange({ api: { method } }) {
    const isChange = method !== undefined && CHANGING_METHODS.has(method);
    return isChange ? { message: `its request is a ${method}`, path: ['api', 'method'] } : undefined;
  },
};
