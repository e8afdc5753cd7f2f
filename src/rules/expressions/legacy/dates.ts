/**
 * Lets CEL recognise its timestamps in workflow code.
 *
 * The sandbox of the Temporal SDK replaces Date, but instances of the replacement have the original as their
 * constructor; the CEL library distinguishes values by constructor. Imported before it, for its side effect.
 */
if (Date.prototype.constructor !== Date) {
  Object.defineProperty(Date.prototype, 'constructor', { value: Date, writable: true, configurable: true });
}

export {};
