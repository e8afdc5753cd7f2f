import { type Skill, type SkillSource, SkillsExtension, skillEntry } from '@modelcontextprotocol/server/ext/skills';
import { SKILL_FILE, SKILL_NAME, skillMd } from '../../authoring/agent-documents/agents-md.js';
import { siteFolders } from '../../authoring/scaffold/scaffold.js';

/** Clients may keep it for so long; another version of it comes only with another version of this program. Milliseconds. */
const KEEP_MS = 60 * 60 * 1000;

/**
 * The skill of a project over MCP (SEP-2640): the text of `ability docs --skill`, with the digest by which a client checks it.
 *
 * It is the same for all callers of a door, and reads nothing from the disk but where the definitions lie.
 */
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
