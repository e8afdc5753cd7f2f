import { type AccessToken, RIGHTS, type Right, type RightLimits, type Rights } from '../contracts/access.js';
import { matchesAnyGlob } from '../text/glob.js';

/** What a right is asked for; a part that is undefined: all of them. */
export interface Place {
  ability: string | undefined;
  environment: string | undefined;
}

/** Every ability in every environment. */
export const EVERYWHERE: Place = { ability: undefined, environment: undefined };

/** Rights without limits. */
export function rightsOf(...rights: readonly Right[]): Rights {
  return Object.fromEntries(rights.map((right) => [right, [{}]]));
}

export const ALL_RIGHTS: Rights = rightsOf(...RIGHTS);

/** Whether a caller has a right at all; where it holds is checked with what is asked for. */
export function hasRight(rights: Rights, right: Right): boolean {
  return (rights[right] ?? []).length > 0;
}

/** Whether a caller has a right there. */
export function isAllowed(rights: Rights, right: Right, { ability, environment }: Place): boolean {
  return (rights[right] ?? []).some(({ abilities, environments }) => {
    return fits(abilities, ability) && fits(environments, environment);
  });
}

/** Whether a right holds in some places only. */
export function isLimited(rights: Rights, right: Right): boolean {
  return !isAllowed(rights, right, EVERYWHERE);
}

/** Whether a right holds for some ability there. */
export function isAllowedIn(rights: Rights, right: Right, environment: string): boolean {
  return (rights[right] ?? []).some(({ environments }) => fits(environments, environment));
}

function fits(globs: readonly string[] | undefined, name: string | undefined): boolean {
  if (globs === undefined) return true;
  return name === undefined ? globs.includes('*') : matchesAnyGlob(globs, name);
}

/** Such as `report.*, db.read in dev`. */
export function limitsInWords({ abilities, environments }: RightLimits): string {
  const what = abilities?.join(', ') ?? 'all abilities';
  return environments ? `${what} in ${environments.join(', ')}` : what;
}

/** What a token allows its bearer. Agents decide nothing. */
export function rightsOfToken({ agent, can, within = {} }: Pick<AccessToken, 'agent' | 'can' | 'within'>): Rights {
  const allowed = agent === undefined ? can : can.filter((right) => right !== 'approve');
  return Object.fromEntries(allowed.map((right): [Right, RightLimits[]] => [right, [within]]));
}

/**
 * What a person may do whom an identity provider signed in, or Slack: `read`, and what `access` gives them and their
 * groups: those of the claim, and those of `people` that list their name.
 */
export function rightsOfPerson(
  { name, groups }: { name: string; groups: readonly string[] },
  { access, people }: { access: Readonly<Record<string, Rights>>; people: Groups },
): Rights {
  const given = Object.entries(access).flatMap(([group, rights]) => {
    if (isPerson(people, group)) return group === name ? [rights] : [];
    const { members, claim } = groupOf(people, group) ?? { members: [] as string[], claim: group };
    return groups.includes(claim) || members.includes(name) ? [rights] : [];
  });
  return Object.fromEntries(
    RIGHTS.map(
      (right) => [right, [rightsOf('read'), ...given].flatMap((rights) => rights[right] ?? [])] as const,
    ).filter(([, limits]) => limits.length > 0),
  );
}

/** A group of people, as ability.yaml has it: its members, or a map. Source: docs/sign-in.md#groups. */
type Group = readonly string[] | { readonly members: readonly string[]; readonly claim: string };

/** Groups by name, and persons, with the id of their account in Slack. Source: docs/approvals.md#in-slack. */
export type Groups = Readonly<Record<string, Group | { readonly slack: string }>>;

/** The members that are listed, and what the group is called in the claim of an OpenID provider. */
interface ReadGroup {
  members: readonly string[];
  claim: string;
  /** The file says what it is called there, so its members are not all known. */
  isOpen: boolean;
}

/** Undefined if no group has the name; it may be a person's. */
export function groupOf(groups: Groups, name: string): ReadGroup | undefined {
  const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
  if (group === undefined || 'slack' in group) return undefined;
  return 'claim' in group ? { ...group, isOpen: true } : { members: group, claim: name, isOpen: false };
}

/** Whether the name is that of a person whom the file names, so that no group of a claim has it. */
export function isPerson(groups: Groups, name: string): boolean {
  const entry = Object.hasOwn(groups, name) ? groups[name] : undefined;
  return entry !== undefined && 'slack' in entry;
}

/** The person with an account in Slack. @param id such as `U0123ABCD`. */
export function personOfSlack(groups: Groups, id: string): string | undefined {
  const [name] = Object.entries(groups).find(([, one]) => 'slack' in one && one.slack === id) ?? [];
  return name;
}
