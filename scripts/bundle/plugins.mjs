// Changes to modules of others, so that a command starts sooner.

/**
 * The messages of Temporal as text for `JSON.parse`, which reads them faster than they are read as code; without those of
 * Temporal Cloud's own API, a quarter of them, which no command calls.
 */
export function messagesOfTemporal() {
  let isRead = false;
  return {
    name: 'messages-of-temporal',
    transform(code, id) {
      if (!id.endsWith('@temporalio/proto/protos/json-module.js')) return null;
      const [all, literal] = /\.addJSON\((\{.*\n\})\);\n/s.exec(code) ?? [];
      const messages = literal && JSON.parse(literal);
      if (!messages?.temporal?.nested.api.nested.cloud) throw new Error('The messages of Temporal are not as expected');
      delete messages.temporal.nested.api.nested.cloud;
      isRead = true;
      const text = JSON.stringify(JSON.stringify(messages));
      return { code: code.replace(all, () => `.addJSON(JSON.parse(${text}));\n`), map: { mappings: '' } };
    },
    generateBundle() {
      if (!isRead) throw new Error('The messages of Temporal are not where they were');
    },
  };
}

/** How rolldown wraps a module of CommonJS. */
const WRAPPER = /(\/\* @__PURE__ \*\/ __commonJSMin\()\(\(([\w$, ]*)\) => \{/g;

/**
 * Wraps modules of CommonJS in functions instead of arrow functions. V8 compiles a function in parentheses at once; that of
 * Node 20 first skips such an arrow function, and compiles it when it is called.
 */
export function wrappedInFunctions() {
  let wrapped = 0;
  return {
    name: 'wrapped-in-functions',
    renderChunk(code, _chunk, _options, { magicString }) {
      for (const found of code.matchAll(WRAPPER)) {
        const [all, before, parameters] = found;
        const end = found.index + all.length;
        magicString.overwrite(found.index + before.length, end, `(function (${parameters}) {`);
        wrapped += 1;
      }
      return magicString;
    },
    generateBundle() {
      if (wrapped === 0) throw new Error('Modules of CommonJS are not wrapped as expected');
    },
  };
}
