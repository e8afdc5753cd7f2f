import { showUnseenCharacters } from '../../../../rules/shown-text.js';

/** A text as the value of an XML attribute, in quotes. */
export function quoteXml(text: string): string {
  return `"${escapeXml(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')}"`;
}

/** A text as the content of an XML element. XML 1.0 has no place for most control characters; these and other invisible ones are shown. */
export function escapeXml(text: string): string {
  const shown = showUnseenCharacters(text.replaceAll('\r\n', '\n'));
  const printable = shown.replaceAll(/[\ufffe\uffff]/g, '\ufffd');
  return printable.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A whole document of JUnit XML. @param suites its lines, as {@link suiteOf} gives them. */
export function junitDocument(suites: readonly string[]): string {
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n');
}

/** One suite. @param attributes as they are written. @param lines of its cases. */
export function suiteOf(attributes: string, lines: readonly string[]): string[] {
  return [`  <testsuite ${attributes}>`, ...lines, '  </testsuite>'];
}
