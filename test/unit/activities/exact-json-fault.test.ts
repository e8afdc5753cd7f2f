import { expect, test } from 'vitest';
import { withoutQuote } from '../../../src/text/lossless-json/read-json.js';

const SECRET = 'correct-horse-battery-staple';

/** What this version of Node reports for a text that is not JSON. */
function faultOf(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

test.each([
  SECRET,
  `{"token": ${SECRET}}`,
  `["${SECRET.slice(0, 14)}"${SECRET.slice(14)}]`,
  `{"a": "${'x'.repeat(50)}", "token": ${SECRET}, "b": "${'x'.repeat(50)}"}`,
  `"a\n${SECRET}"`,
  `1 ${SECRET}`,
  `[tru ${SECRET}`,
])('the fault of %j quotes nothing of it', (text) => {
  const fault = withoutQuote(`which is no JSON (${faultOf(text)})`);
  expect(fault).toMatch(/^which is no JSON \((Unexpected|Expected|Bad)/);
  expect(fault).not.toMatch(/corr|horse|batt|stap/);
});
