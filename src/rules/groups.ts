/** A group of people, as ability.yaml has it: its members, or a map. Source: docs/sign-in.md#groups. */
type Group = readonly string[] | { readonly members: readonly string[]; readonly claim: string };

/** A person, with the id of their account in Slack. Source: docs/approvals.md#in-slack. */
interface KnownPerson {
  readonly slack: string;
}

/** Groups by name, and persons. */
export type Groups = Readonly<Record<string, Group | KnownPerson>>;

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
