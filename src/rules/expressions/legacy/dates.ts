/**
 * Imported before the CEL library, which recognises values by constructor: Temporal's sandbox replaces Date, but
 * instances keep the original constructor.
 */
if (Date.prototype.constructor !== Date) {
  Object.defineProperty(Date.prototype, 'constructor', { value: Date, writable: true, configurable: true });
}

export {};
