import { useOrganization } from '../account/user.ts';
import { Writes } from '../parts/form/writes.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Table } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import { addDomainRule, addGroupRule, plainRules, removeRule } from './forms.ts';

/** The rules that let people in who are no members. Only administrators get them. */
export function SignInRules({ org }: { org: string }) {
  const organization = useOrganization(org);
  if (!organization) return null;
  const { sign_in_rules: rules, sign_in_grants: grants } = organization;
  const plain = plainRules(rules ?? []);
  return (
    <Panel
      title="Sign-in rules"
      note="people who may join without an invitation"
      actions={
        <Writes
          org={org}
          writes={[addDomainRule(org, plain, grants?.domains ?? []), addGroupRule(org, plain, grants?.groups ?? [])]}
        />
      }
    >
      {rules === null ? (
        <p>Only administrators see the rules.</p>
      ) : rules.length === 0 ? (
        <Empty
          sentence="Only members get in."
          remedy="A rule lets people of a domain or of a group of the identity provider in. The operator of the service grants which domains and groups rules may name. A membership wins over the rules."
        />
      ) : (
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
            {
              head: 'Change',
              fit: true,
              cell: (rule) => (
                <Writes org={org} writes={[removeRule(org, plain, rules.indexOf(rule))]} isExplained={false} />
              ),
            },
          ]}
        />
      )}
    </Panel>
  );
}
