import { useMay, useOrganization, useUser } from '../account/user.ts';
import { call } from '../client/call.ts';
import { useAnswer } from '../client/live.ts';
import { read } from '../client/query-client.ts';
import { SentenceOf } from '../environment/sentence-of.tsx';
import { Writes } from '../parts/form/writes.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Table } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { addPerson, changeRole, newAccount, removePerson, withdrawInvitation } from './forms.ts';
import { KeyList } from './key-list.tsx';
import { peopleSentence } from './model/access.ts';
import { accounts, issueOwnKey, type Member, members, ownKeys, revokeOwnKey, rotateOwnKey } from './operations.ts';
import styles from './people.module.css';
import type { peopleRoute } from './routes.ts';
import { NO_SIGN_IN_RULES, SignInRuleTable } from './sign-in-rule-table.tsx';

/** Who has access to the organization: people, service accounts, and the keys of the reader. */
export default function PeoplePage({ params }: PageProps<typeof peopleRoute>) {
  const { org } = params;
  const all = useAnswer(read(members, params));
  const me = useUser();
  const mayAudit = useMay(org, 'admin');
  const role = useOrganization(org)?.role;
  return (
    <>
      <VerdictLine
        subject="People and access"
        context={org}
        sentence={
          <SentenceOf otherwise={`${all.length} people have access.`}>
            <Sentence org={org} all={all} />
          </SentenceOf>
        }
      />
      <Panel title="People" actions={<Writes org={org} writes={[addPerson(org, all)]} />}>
        <Table
          caption="People"
          rows={all}
          keyOf={({ name }) => name}
          columns={[
            {
              head: 'Name',
              cell: ({ name, id }) => (
                <>
                  <Text>{name}</Text>
                  {id === me?.id && ' (you)'}
                </>
              ),
            },
            { head: 'Role', fit: true, cell: ({ role }) => role },
            {
              head: 'Member since',
              fit: true,
              cell: ({ added_at: at, is_invited: isInvited }) => (
                <>
                  {isInvited && 'invited '}
                  <Time at={at} />
                </>
              ),
            },
            ...(mayAudit
              ? [
                  {
                    head: 'Change',
                    fit: true,
                    cell: (member: Member) => (
                      <span className={styles['buttons']}>
                        <Writes
                          org={org}
                          writes={[
                            changeRole(org, member),
                            member.is_invited ? withdrawInvitation(org, member) : removePerson(org, member),
                          ]}
                          isExplained={false}
                        />
                      </span>
                    ),
                  },
                  {
                    head: 'Audit log',
                    fit: true,
                    cell: ({ name }: Member) => (
                      <PageLink page="audit" params={params} search={{ actor: name }}>
                        changes by <Text>{name}</Text>
                      </PageLink>
                    ),
                  },
                ]
              : []),
          ]}
        />
      </Panel>
      <SignInRules org={org} />
      <Panel
        title="Service accounts"
        note="programs that report and read"
        rows={3}
        actions={role !== undefined && <Writes org={org} writes={[newAccount(org, role)]} />}
      >
        <Accounts org={org} />
      </Panel>
      {me?.kind === 'user' && (
        <Panel title="Your keys" note="they work in all of your organizations" rows={3}>
          <OwnKeys />
        </Panel>
      )}
      <Raw value={all} path={`/organizations/${org}/members`} />
    </>
  );
}

/** The rules that let people in who are no members. Only administrators get them. */
function SignInRules({ org }: { org: string }) {
  const rules = useOrganization(org)?.sign_in_rules;
  if (!rules) return null;
  return (
    <Panel title="Sign-in rules" note="people who may join without an invitation">
      {rules.length === 0 ? (
        <Empty
          {...NO_SIGN_IN_RULES}
          commands={[
            {
              what: 'curl',
              text: `curl -X PUT ${location.origin}/api/v2/organizations/${org}/sign-in-rules \\\n  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\\n  -d '{"rules":[{"domain":"example.com","role":"reader"}]}'`,
            },
          ]}
        />
      ) : (
        <SignInRuleTable rules={rules} />
      )}
    </Panel>
  );
}

const Sentence = ({ org, all }: { org: string; all: readonly Member[] }) => (
  <Text>{peopleSentence(all, useAnswer(read(accounts, { org })))}</Text>
);

function Accounts({ org }: { org: string }) {
  const all = useAnswer(read(accounts, { org }));
  if (all.length === 0) {
    return (
      <Empty
        sentence="There is no service account."
        remedy="A pipeline or a reporter uses one, so that its reports do not depend on a person."
        commands={[
          {
            what: 'curl',
            text: `curl -X POST ${location.origin}/api/v2/service-accounts/${org} \\\n  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\\n  -d '{"name":"ci","privilege":"member"}'`,
          },
        ]}
      />
    );
  }
  return (
    <Table
      caption="Service accounts"
      rows={all}
      keyOf={({ name }) => name}
      isUnreadable={({ unreadable }) => unreadable === true}
      columns={[
        {
          head: 'Name',
          cell: ({ name }) => (
            <PageLink page="service-account" params={{ org, account: name }} strong row>
              <Text>{name}</Text>
            </PageLink>
          ),
        },
        { head: 'Acts as', fit: true, cell: ({ privilege }) => privilege },
        { head: 'Description', wide: true, cell: ({ description }) => <Text>{description || '–'}</Text> },
        { head: 'Created', fit: true, cell: ({ created_at: at }) => <Time at={at} /> },
      ]}
    />
  );
}

const OwnKeys = () => (
  <KeyList
    keys={useAnswer(read(ownKeys, {}))}
    owner="you"
    rights={{ issue: true, revoke: true }}
    issue={(body) => call(issueOwnKey, {}, {}, body)}
    rotate={(id, body) => call(rotateOwnKey, { key_id: id }, {}, body)}
    revoke={(id) => call(revokeOwnKey, { key_id: id }, {})}
  />
);
