import type { Finding } from '../../contracts/findings.js';
import type { Registry } from '../../definitions/registry.js';
import { type Spot, within } from '../../definitions/spot.js';
import { partsOfHandler } from '../../definitions/written-handler.js';
import type { ScriptDefinition } from '../../kinds/script/format.js';
import { findingOf } from '../../planning/finding-of.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { type Followed, followImports, type UnpinnedImport } from '../../planning/scripts/imports/follow-imports.js';
import { languageOf } from '../../planning/scripts/imports/import-site.js';
import { ownPlaces } from '../../planning/scripts/imports/own-places.js';
import { declaredFiles, interpreterWords } from '../../planning/scripts/resolve-script.js';
import { projectFilesOf, type ScriptFile } from '../../planning/scripts/script-files.js';
import { unlessRefused } from '../../text/attempt.js';
import type { LintedProject } from '../linted-project.js';

/** Finds imports and files of scripts that the plan does not pin. */
export function* checkScriptReach({ registry }: LintedProject): Generator<Finding> {
  const files = projectFilesOf(registry);
  for (const { script, ...spot } of scriptsOf(registry)) {
    const main = files.read(script.path);
    if (typeof main === 'string') continue;
    // Undefined if planning refuses the list: the check of plans reports that.
    const also = unlessRefused(() => declaredFiles(files, script.files ?? [], within(spot, 'files')));
    const followed = also && followImports(files, main, languageOf(main, interpreterWords(script)), also);
    if (!followed) continue;
    yield* unpinnedImports(followed, script);
    yield* unpinnedPlaces(followed, main, script);
  }
}

/** Finds destructive scripts without a box. */
export function* checkBoxes({ registry }: LintedProject): Generator<Finding> {
  if (registry.project.policy.sandbox) return;
  for (const { script, operation = '', from, path } of scriptsOf(registry)) {
    if (script.sandbox || registry.operations.get(operation)?.value.effects !== 'destructive') continue;
    const message = `${operation} is destructive, and its script ${script.path} runs without a sandbox`;
    yield findingOf('lint.script_not_boxed', message, from.locate(path));
  }
}

interface WrittenScript extends Spot {
  script: ScriptDefinition;
  /** Absent for a hook. */
  operation?: string;
}

function* scriptsOf(registry: Registry): Generator<WrittenScript> {
  for (const { body, operation, from, path } of implementationBodies(registry)) {
    if (body.kind === 'script') yield { script: body.script, operation, from, path: [...path, 'script'] };
  }
  for (const hook of [...registry.hooks.values()].flat()) {
    const { script } = partsOfHandler(hook.value.handler);
    if (script) yield { script, from: hook, path: ['handler', 'script'] };
  }
}

const REASONS: Record<UnpinnedImport['why'], (text: string) => string> = {
  missing: (text) => `imports ${text}, which is not in the project`,
  outside: (text) => `imports ${text}, which lies outside the project and is not pinned`,
  computed: (text) => `imports what is only decided when it runs: ${text}`,
  live: (text) => `reads ${text} from the working directory, where it may be edited after the approval`,
  too_large: () => 'is too large to be read for imports',
};

function* unpinnedImports({ unpinned }: Followed, { files = [] }: ScriptDefinition): Generator<Finding> {
  for (const { file, site, why } of unpinned) {
    // An author who lists files has checked the script's imports.
    if ((why === 'computed' || why === 'too_large') && files.length > 0) continue;
    const location = { file, line: site.line, column: 1 };
    yield findingOf('lint.import_not_pinned', `${file} ${REASONS[why](site.text)}`, location, FIXES[why]);
  }
}

const FIXES: Partial<Record<UnpinnedImport['why'], string>> = {
  missing: 'Correct the path, or put the file there.',
  outside: 'Move the file into the project, or install it as a package.',
  live: 'Write `. "$(dirname "$0")/..."` or `. "$ABILITY_PINNED/..."`, which read the file as it was pinned.',
};

function* unpinnedPlaces({ files, read }: Followed, main: ScriptFile, script: ScriptDefinition): Generator<Finding> {
  const declared = (script.files ?? []).map((path) => path.replace(/^\.\//, '').replace(/\/$/, ''));
  const pinned = new Set([main.path, main.real, ...files.map(({ path }) => path)]);
  const isCovered = (path: string | undefined): boolean => {
    if (path === undefined || path === '') return declared.length > 0;
    return (
      pinned.has(path) || declared.some((own) => `${own}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${own}/`))
    );
  };
  for (const { file, language } of read) {
    for (const { line, reaches } of ownPlaces(file, language, main)) {
      if (isCovered(reaches)) continue;
      const what = reaches ? `for ${reaches}` : 'for files';
      const message = `${file.path} reaches ${what} relative to its own path, and \`files\` does not name ${reaches ? 'it' : 'any'}`;
      yield findingOf('lint.file_not_pinned', message, { file: file.path, line, column: 1 });
    }
  }
}
