import { type Column, Table } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import type { SignInRule } from './operations.ts';

/** The rules that let people in who are no members. @param more further columns */
export const SignInRuleTable = ({
  rules,
  more = [],
}: {
  rules: readonly SignInRule[];
  more?: readonly Column<SignInRule>[];
}) => (
  <Table
    caption="Sign-in rules"
    rows={rules}
    keyOf={(rule) => JSON.stringify(rule)}
    columns={[
      {
        head: 'People',
        cell: (rule) =>
          'domain' in rule ? (
            <>
              with an e-mail address of <Text>{rule.domain}</Text>
            </>
          ) : (
            <>
              of the group <Text>{rule.group}</Text>
            </>
          ),
      },
      { head: 'Role', fit: true, cell: ({ role }) => role },
      {
        head: 'Effect',
        fit: true,
        cell: ({ granted }) => (granted ? 'in force' : 'none: the operator does not grant it'),
      },
      ...more,
    ]}
  />
);

/** What an organization without rules says of them. */
export const NO_SIGN_IN_RULES = {
  sentence: 'Only members get in.',
  remedy:
    'A rule lets people of a domain or of a group of the identity provider in. The operator of the service grants which domains and groups rules may name. A membership wins over the rules.',
};
