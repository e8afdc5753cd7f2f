/** A group of people, as ability.yaml has it: its members, or a map. Source: docs/sign-in.md#groups. */
export type Group = readonly string[] | { readonly members: readonly string[]; readonly claim: string };

/** Groups by name. */
export type Groups = Readonly<Record<string, Group>>;

/** The members that are listed, and what the group is called in the claim of an OpenID provider. */
interface ReadGroup {
  members: readonly string[];
  claim: string;
  /** The file says what it is called there, so its members are not all known. */
  isOpen: boolean;
}

/** Undefined if no group has the name. */
export function groupOf(groups: Groups, name: string): ReadGroup | undefined {
  const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
  if (group === undefined) return undefined;
  return 'claim' in group ? { ...group, isOpen: true } : { members: group, claim: name, isOpen: false };
}
