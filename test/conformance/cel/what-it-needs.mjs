// Which cases of the suite are about what expressions do not have.

/** Files of the suite that are about a library beyond the language. */
const EXTENSIONS = /_ext$|^macros2$|^optionals$/;
const MESSAGES =
  /TestAllTypes|NestedTestAllTypes|GlobalEnum|NestedEnum|google\.protobuf\.(?!Timestamp|Duration)\w|\bproto\.|cel\.expr|[A-Z]\w*\s*\{/;

/**
 * Why a case is left out; undefined for one that counts.
 *
 * @param suite the name of its file.
 */
export function reasonToLeaveOut(suite, test, expression) {
  const bare = withoutTexts(expression);
  const all = JSON.stringify(test, (_, value) => (Buffer.isBuffer(value) ? value.toString() : value));
  if (EXTENSIONS.test(suite)) return 'extensions';
  if (suite === 'unknowns' || test.unknown || test.any_unknowns) return 'unknown values';
  if (test.check_only || test.typed_result || suite === 'type_deduction') return 'the static checker';
  if (test.disable_macros) return 'macros switched off';
  if (MESSAGES.test(bare) || suite === 'enums' || suite.startsWith('proto') || suite === 'wrappers') return 'messages';
  if (/"message_type"|enum_value|google\.protobuf\.(?!Timestamp|Duration)/.test(all)) return 'messages';
  if (/\b(\d+|0x[0-9a-f]+)u\b/i.test(bare) || /\buint\b/.test(bare) || /uint64_value/.test(all)) return 'unsigned ints';
  if (/\b(b|br|rb)['"]/i.test(bare) || /\bbytes\b/.test(bare) || /bytes_value/.test(all)) return 'bytes';
  return undefined;
}

/** What is between quotes says nothing of what is needed. */
function withoutTexts(expression) {
  return expression.replace(
    /("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/g,
    (text) => text[0] + text[0],
  );
}
