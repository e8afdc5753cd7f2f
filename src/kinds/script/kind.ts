import { ATTRIBUTES } from '../../contracts/traces.js';
import { describeBox, PLAIN, referencesOf, type WrittenKind } from '../kind.js';

/** The server that decides the placement of scripts. */
export const SHELL = 'shell';

export const script: WrittenKind<'script'> = {
  ...PLAIN,
  settings: ['env_profile'],
  describe: ({ script: { interpreter, path } }) => [...interpreter, path].join(' '),
  describeFully: (implementation) => script.describe(implementation) + describeBox(implementation.script),
  tool: (_, key) => `${SHELL}:${key}`,
  writtenTool: (_, key) => `${SHELL}:${key}`,
  credentials: (implementation) => referencesOf(implementation.script.env.secrets, 'secret'),
  scripts: (implementation) => [implementation.script],
  place: ({ script: { path, digest } }) => ({ kind: 'script', script: path, digest }),
  renderPlace: (place, { code, line }) => `Script: ${code(place.script)}, SHA-256 ${line(place.digest)}`,
  attributes: () => ({ [ATTRIBUTES.toolType]: 'function' }),
  isRequest: () => false,
  writtenAnswerIsFile: () => false,
  timeoutSec: (body) => body.script.timeout_sec,
  signOfChange({ script: { path } }, changes) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return changes(name) ? { message: `its script is ${path}`, path: ['script', 'path'] } : undefined;
  },
};
