import { useMay, useOrganization, useUser } from '../account/user.ts';
import { call } from '../client/call.ts';
import { useAnswer } from '../client/live.ts';
import { SentenceOf } from '../environment/sentence-of.tsx';
import { Writes } from '../parts/form/writes.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time, useNow } from '../parts/text/time.tsx';
import type { ParamsOf } from '../routes/params.ts';
import type { PageProps } from '../routes/route.ts';
import { accountWrites } from './forms.ts';
import { KeyList } from './key-list.tsx';
import { accountSentence, rightsOver } from './model/access.ts';
import { type Account, issueAccountKey, revokeAccountKey, rotateAccountKey } from './operations.ts';
import { readAccount, readKeys, type serviceAccountRoute } from './routes.ts';

interface Props {
  params: ParamsOf<'service-account'>;
  account: Account;
}

/** A service account: what it may do, and its keys. */
export default function ServiceAccountPage({ params }: PageProps<typeof serviceAccountRoute>) {
  const { org } = params;
  const account = useAnswer(readAccount(params));
  const mayAudit = useMay(org, 'admin');
  const me = useUser();
  const role = useOrganization(org)?.role;
  const rights = rightsOver(account, me && role !== undefined ? { id: me.id, role } : undefined);
  return (
    <>
      <VerdictLine
        kind="Service account"
        subject={account.display_name}
        context={org}
        sentence={
          <SentenceOf otherwise={`Acts as ${account.privilege}.`}>
            <Sentence params={params} account={account} />
          </SentenceOf>
        }
        description={account.description ?? ''}
        actions={
          role !== undefined && (
            <Writes org={org} writes={accountWrites(org, account, { role, manages: rights.revoke })} />
          )
        }
        facts={[
          <span key="created">
            created <Time at={account.created_at} />
          </span>,
          ...(mayAudit
            ? [
                <PageLink key="audit" page="audit" params={{ org }} search={{ actor: account.name }}>
                  changes that it made
                </PageLink>,
              ]
            : []),
        ]}
      />
      <Panel title="Keys" note="that are active" rows={3}>
        <Keys params={params} account={account} />
      </Panel>
      <Raw value={account} path={`/service-accounts/${org}/${account.name}`} />
    </>
  );
}

const Sentence = ({ params, account }: Props) => (
  <Text>{accountSentence(account, useAnswer(readKeys(params)), useNow())}</Text>
);

function Keys({ params, account }: Props) {
  const { org } = params;
  const me = useUser();
  const role = useOrganization(org)?.role;
  const place = { org, name: account.name };
  return (
    <KeyList
      keys={useAnswer(readKeys(params))}
      owner={account.name}
      rights={rightsOver(account, me && role !== undefined ? { id: me.id, role } : undefined)}
      issue={(body) => call(issueAccountKey, place, {}, body)}
      rotate={(id, body) => call(rotateAccountKey, { ...place, key_id: id }, {}, body)}
      revoke={(id) => call(revokeAccountKey, { ...place, key_id: id }, {})}
    />
  );
}
