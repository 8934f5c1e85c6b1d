import { choice, line, type Option, type Write, write } from '../parts/form/model/forms.ts';
import { putExperimentalFeatures, putSignInRules } from './operations.ts';

/** Writes about sign-in rules and features (rules/sign-in.md#sign-in-rules, rules/organizations.md#beta-features). */

/** A rule as the service takes it. */
type SignInRule =
  | { domain: string; role: 'reader' | 'snapshotter' | 'member' }
  | { group: string; role: 'reader' | 'snapshotter' | 'member' | 'admin' };

const DOING = 'say who may join without an invitation';
const OF_DOMAIN: [Option<'reader'>, Option<'snapshotter'>, Option<'member'>] = [
  ['reader', 'reader'],
  ['snapshotter', 'snapshotter'],
  ['member', 'member'],
];

/** The rules of an answer without what the service adds. */
export const plainRules = (rules: readonly (SignInRule & { granted: boolean })[]): SignInRule[] =>
  rules.map(({ granted: _, ...rule }) => rule);

/** An error names the rule by its place in the list. Only the last one is in the form. */
const placeIn = (name: 'domain' | 'group') => (error: string) =>
  error.endsWith('.role') ? { field: 'role' } : error.startsWith('rules') ? { field: name } : undefined;

/** What the operator grants, in words. */
const grantNote = (names: readonly string[]): string =>
  names.length === 0
    ? 'The operator of the service has granted none yet, and the service refuses what is not granted.'
    : `Granted by the operator: ${names.join(', ')}.`;

export const addDomainRule = (org: string, rules: readonly SignInRule[], granted: readonly string[]): Write =>
  write({
    button: 'New rule for a domain',
    does: 'Let people of a domain join',
    doing: DOING,
    operation: putSignInRules,
    about:
      'People who sign in with a verified e-mail address of the domain may join. A membership wins over the rules.',
    fields: { domain: line('Domain', { note: grantNote(granted) }), role: choice('Role', OF_DOMAIN) },
    errorPlace: placeIn('domain'),
    request: ({ domain, role }) => ({ params: { org }, body: { rules: [...rules, { domain: domain.trim(), role }] } }),
  });

export const addGroupRule = (org: string, rules: readonly SignInRule[], granted: readonly string[]): Write =>
  write({
    button: 'New rule for a group',
    does: 'Let people of a group join',
    doing: DOING,
    operation: putSignInRules,
    about: 'People whom the identity provider has in the group may join. A membership wins over the rules.',
    fields: {
      group: line('Group', { note: grantNote(granted) }),
      role: choice('Role', [...OF_DOMAIN, ['admin', 'admin']]),
    },
    errorPlace: placeIn('group'),
    request: ({ group, role }) => ({ params: { org }, body: { rules: [...rules, { group: group.trim(), role }] } }),
  });

/** @param place of the rule in the list */
export const removeRule = (org: string, rules: readonly SignInRule[], place: number): Write =>
  write({
    button: 'Remove',
    does: 'Remove the rule',
    doing: DOING,
    operation: putSignInRules,
    about: 'People who are here by this rule alone lose their access within 30 seconds.',
    isDanger: true,
    fields: {},
    request: () => ({ params: { org }, body: { rules: rules.filter((_, n) => n !== place) } }),
    done: 'Removed.',
  });

export const switchFeatures = (org: string, enabled: boolean): Write =>
  write({
    button: enabled ? 'Switch on' : 'Switch off',
    does: `Switch the beta features ${enabled ? 'on' : 'off'}`,
    doing: 'switch features',
    operation: putExperimentalFeatures,
    about: enabled
      ? 'Controls, evaluations and moments of trails can be used, within 30 seconds.'
      : 'Requests about controls, evaluations and moments of trails are refused, within 30 seconds. What was recorded stays.',
    isDanger: !enabled,
    fields: {},
    request: () => ({ params: { org }, body: { experimental_features_enabled: enabled } }),
    done: enabled ? 'Switched on.' : 'Switched off.',
  });
