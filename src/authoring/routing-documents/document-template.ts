import { dirname } from 'node:path/posix';
import { linesOf, usualEnd } from './document-lines.js';
import { closingMarker, exampleOf } from './read-marker.js';
import { LEVELS } from './section-forms.js';

/**
 * A new document: how to find one's way, and empty tables. Source: R-000-18, R-000-04, R-000-15, R-000-16.
 *
 * @param file relative to the project root.
 */
export function newDocument(file: string): string {
  const folder = dirname(file);
  return `# Abilities${folder === '.' ? '' : ` of ${folder}`}

What can be run here. This page only says where each ability is defined; what goes in, what comes out and what it changes stands
in the file at its registry path.

1. Look for a high-level ability whose intent and scope fit. For the steps that none covers, look among the low-level ones, by
   operation key and summary.
2. Read the files at the registry paths of the candidates, and choose.
3. Create a task for each: \`ability task create ID --input JSON\` gives a task key if it can run here, or says why not.
4. Plan around the task keys, then run them: \`ability task run KEY\`.

One such page is enough for one piece of work: that of the module at hand, or that of integration for what spans modules.

${sections('\n')}`;
}

/** A document that had no markers, with empty tables at its end; its own words stay as they are. */
export function withSections(text: string): string {
  const end = usualEnd(linesOf(text));
  const own = text === '' || /[\r\n]$/.test(text) ? text : text + end;
  return `${own}${own === '' ? '' : end}${sections(end)}`;
}

function sections(end: string): string {
  return LEVELS.map((level) => `${exampleOf(level)}${end}${closingMarker(level, [])}${end}`).join(end);
}
