import { type Kind, PLAIN, referencesOf } from '../kind.js';

/** A model that agents call. No definition has this kind. */
export const model: Kind<'model'> = {
  ...PLAIN,
  isTool: false,
  describe({ model: { name, script } }) {
    return script ? [...script.interpreter, script.path].join(' ') : `the model ${name}`;
  },
  describeFully: (implementation) => model.describe(implementation),
  tool: (_, key) => key,
  credentials: (implementation) => referencesOf(implementation.model.script?.env.secrets ?? {}, 'secret'),
  scripts: ({ model: { script } }) => (script ? [script] : []),
  place: ({ model: { name, script } }) => ({ kind: 'model', model: name, ...(script && { digest: script.digest }) }),
  renderPlace({ model: name, digest }, { code, line }) {
    return `Model: ${code(name)}${digest === undefined ? '' : `, a program with SHA-256 ${line(digest)}`}`;
  },
  attributes: () => ({}),
  isRequest: ({ model: { script } }) => !script,
};
