import { createHash } from 'node:crypto';
import { SkillsClient, SkillVerificationError } from '@modelcontextprotocol/client/ext/skills';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skillMd } from '../../src/authoring/agent-documents/plan-agent-documents.js';
import { type OpenDoor, openDoor } from '../fixtures/http-door.js';
import { connectOverHttp } from '../fixtures/mcp-agent.js';
import { doorProject } from '../fixtures/mcp-door-project.js';

const { running: project, agent } = doorProject();
const TEXT = skillMd('registry');
const DIGEST = createHash('sha256').update(TEXT).digest('hex');
const URI = 'skill://ability-runtime/SKILL.md';

let door: OpenDoor;
beforeAll(async () => {
  door = await openDoor(project().connection, { environment: 'dev' });
});
afterAll(() => door.close());

const CLIENTS = {
  'over a pipe': (protocol: '2026-07-28' | '2025-11-25') => agent({ protocol }).then(({ client }) => client),
  'over HTTP': (protocol: '2026-07-28' | '2025-11-25') =>
    connectOverHttp(door.url, { protocol }).then(({ client }) => client),
};

describe.each(['2026-07-28', '2025-11-25'] as const)('the skill with protocol %s', (protocol) => {
  test.each(Object.entries(CLIENTS))('is listed with its digest and can be read, %s [R-002-56]', async (_, connect) => {
    const client = await connect(protocol);
    const skills = new SkillsClient(client);
    expect(skills.supported).toBe(true);
    const { skills: listed } = await skills.list();
    expect(listed).toMatchObject([{ uri: URI, frontmatter: { name: 'ability-runtime' } }]);
    expect(JSON.stringify(listed)).toContain(DIGEST);
    const [entry] = listed;
    if (!entry) throw new Error('no skill');
    const file = await skills.read(entry);
    expect({ text: file.text, verified: file.verified }).toEqual({ text: TEXT, verified: true });
    expect((await skills.get(URI)).skill).toEqual(entry);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([URI]);
    // The tools are still listed.
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('ability_search');
    await client.close();
  });
});

test('a skill or file that does not exist is refused', async () => {
  const { client } = await agent({});
  const skills = new SkillsClient(client);
  await expect(skills.get('skill://other/SKILL.md')).rejects.toThrow(/No skill is served/);
  await expect(client.readResource({ uri: 'skill://ability-runtime/../../ability.yaml' })).rejects.toThrow();
  await expect(client.readResource({ uri: 'skill://ability-runtime/scripts/x.sh' })).rejects.toThrow(/not found/i);
});

test('the client refuses a text that does not match its digest', async () => {
  const { client } = await agent({});
  const skills = new SkillsClient(client);
  const [entry] = (await skills.list()).skills;
  if (!entry) throw new Error('no skill');
  const other = JSON.parse(JSON.stringify(entry).replaceAll(DIGEST, createHash('sha256').update('x').digest('hex')));
  await expect(skills.read(other)).rejects.toThrow(SkillVerificationError);
});
