import { type Skill, type SkillSource, SkillsExtension, skillEntry } from '@modelcontextprotocol/server/ext/skills';
import { SKILL_FILE, SKILL_NAME, skillMd } from '../../authoring/agent-documents/plan-agent-documents.js';
import { siteFolders } from '../../authoring/scaffold/scaffold.js';

/** How long clients may cache it; it changes only with this program's version. Milliseconds. */
const KEEP_MS = 60 * 60 * 1000;

/** The text of `ability docs --skill` over MCP (SEP-2640), with its digest; the same for all callers. */
export function skillOfProject(root: string): SkillsExtension {
  return new SkillsExtension({
    source: sourceOf(skillMd(siteFolders(root).registry)),
    cacheHint: { ttlMs: KEEP_MS, cacheScope: 'public' },
    strict: true,
  });
}

function sourceOf(text: string): SkillSource {
  let made: Promise<Skill> | undefined;
  const entry = (): Promise<Skill> => {
    made ??= skillEntry(SKILL_NAME, { [SKILL_FILE]: text });
    return made;
  };
  return {
    list: async () => ({ skills: [await entry()] }),
    get: async (uri) => ((await entry()).uri === uri ? entry() : undefined),
    read: async (uri) => ((await entry()).uri === uri ? { text, mimeType: 'text/markdown' } : undefined),
    listResources: async () => {
      const { uri } = await entry();
      return [{ uri, name: SKILL_NAME, mimeType: 'text/markdown' }];
    },
  };
}
