/**
 * Turns stack traces off in the workflow sandbox.
 *
 * The SDK takes one for each promise, for its query `__stack_trace`, and looks every frame up in the source map: over a
 * third of the interpreter's CPU time, for traces that show the interpreter and not the task. Errors keep their codes
 * and messages. Loaded before all else; see docs/performance.md.
 */
Error.stackTraceLimit = 0;

/** What the SDK takes a stack trace from: it has none. */
class Untraced {}

/**
 * What the SDK's hooks have compiled in the sandbox for each promise, when it is made and when it is settled: to find the
 * workflow it belongs to, and to take its stack trace.
 */
const ASKED: ReadonlyMap<string, () => unknown> = new Map<string, () => unknown>([
  [
    'return globalThis.__TEMPORAL_ACTIVATOR__',
    () => (globalThis as { __TEMPORAL_ACTIVATOR__?: unknown }).__TEMPORAL_ACTIVATOR__,
  ],
  ['return globalThis.Error', () => Untraced],
]);

const compile = Promise.constructor as (text: string) => () => unknown;

// The hooks ask the constructor of the promise's constructor, which compiles functions. What is asked for is here already;
// anything else is compiled as ever, so that another version of the SDK works, too. Once is enough for all who share a
// realm, such as tests that load the interpreter anew.
if (!Object.hasOwn(Promise, 'constructor')) {
  Object.defineProperty(Promise, 'constructor', { value: (text: string) => ASKED.get(text) ?? compile(text) });
}
