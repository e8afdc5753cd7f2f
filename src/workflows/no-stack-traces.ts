/**
 * Turns stack traces off in the workflow sandbox.
 *
 * The SDK takes one for each promise, for its query `__stack_trace`, and looks every frame up in the source map: over a
 * third of the interpreter's CPU time, for traces that show the interpreter and not the task. Errors keep their codes
 * and messages. Loaded before all else; see docs/performance.md.
 */
Error.stackTraceLimit = 0;

/** Replaces the SDK's error for stack traces: it has none. */
class Untraced {}

/**
 * Functions that the SDK's hooks compile in the sandbox for each promise, when it is made and when it is settled: one
 * finds its workflow, the other takes its stack trace.
 */
const ASKED: ReadonlyMap<string, () => unknown> = new Map<string, () => unknown>([
  [
    'return globalThis.__TEMPORAL_ACTIVATOR__',
    () => (globalThis as { __TEMPORAL_ACTIVATOR__?: unknown }).__TEMPORAL_ACTIVATOR__,
  ],
  ['return globalThis.Error', () => Untraced],
]);

// The hooks call the constructor of the promise's constructor, which compiles functions. The known ones are returned
// from here; any other is compiled as usual, so that another version of the SDK works, too. Done once, however often
// this is loaded.
if (!Object.hasOwn(Promise, 'constructor')) {
  const compile = Promise.constructor as (text: string) => () => unknown;
  const value = (text: string): unknown => ASKED.get(text) ?? compile(text);
  Object.defineProperty(Promise, 'constructor', { value, configurable: true });
}
