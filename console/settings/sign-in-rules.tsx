import { useOrganization } from '../account/user.ts';
import { Writes } from '../parts/form/writes.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { NO_SIGN_IN_RULES, SignInRuleTable } from '../people/sign-in-rule-table.tsx';
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
        <Empty {...NO_SIGN_IN_RULES} />
      ) : (
        <SignInRuleTable
          rules={rules}
          more={[
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
