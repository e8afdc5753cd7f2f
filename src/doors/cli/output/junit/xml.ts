import { showUnseenCharacters } from '../../../../rules/shown-text.js';

export function quoteXml(text: string): string {
  return `"${escapeXml(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')}"`;
}

/** XML 1.0 forbids most control characters; shows these and other invisible ones visibly. */
export function escapeXml(text: string): string {
  const shown = showUnseenCharacters(text.replaceAll('\r\n', '\n'));
  const printable = shown.replaceAll(/[\ufffe\uffff]/g, '\ufffd');
  return printable.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** @param suites lines as {@link suiteOf} returns them. */
export function junitDocument(suites: readonly string[]): string {
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n');
}

/** @param attributes as written in the tag. @param lines of its cases. */
export function suiteOf(attributes: string, lines: readonly string[]): string[] {
  return [`  <testsuite ${attributes}>`, ...lines, '  </testsuite>'];
}
