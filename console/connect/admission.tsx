import { useOrganization } from '../account/user.ts';
import { useAnswer } from '../client/live.ts';
import { Writes } from '../parts/form/writes.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Text } from '../parts/text/text.tsx';
import { newAccount } from '../people/forms.ts';
import type { Account } from '../people/operations.ts';
import { readAccounts } from '../settings/routes.ts';
import { connectTrust } from '../settings/trust-forms.ts';
import styles from './connect.module.css';
import { CI_LABELS, type CiName } from './model/choices.ts';
import { ciSystem } from './model/ci-systems.ts';

/** How the jobs of a CI system get in: by a trust in the tokens that it signs, or by a stored key of a service account. */
export function Admission({ org, ci }: { org: string; ci: CiName }) {
  const accounts = useAnswer(readAccounts(org));
  const role = useOrganization(org)?.role;
  const label = CI_LABELS[ci];
  const { keyless } = ciSystem(ci);
  // The page stays, unlike that of the form on the page of people: the next step is here.
  const account = role === undefined ? undefined : staying(newAccount(org, role));
  return (
    <div className={styles['steps']}>
      <p>
        {keyless === undefined
          ? 'Its jobs use a key of a service account. Create one that acts as member, issue a key on its page, and store the key as a secret of the CI system.'
          : `${label} signs a token for each job. A trust exchanges such tokens for a key that works for some minutes, so no key is stored. Create a service account that acts as member, then the trust.`}
        {keyless === undefined &&
          (ci === 'jenkins' ? ' Its id is «evidence-key», its kind «Secret text».' : ' Its name is KOSLI_API_TOKEN.')}
      </p>
      {keyless !== undefined && <p className={styles['warning']}>{keyless.trap}</p>}
      <AccountLinks org={org} accounts={accounts} />
      <p className={styles['buttons']}>
        <Writes
          org={org}
          writes={[
            ...(account ? [account] : []),
            ...(keyless === undefined
              ? []
              : [connectTrust(org, { label, keyless }, { accounts, host: location.origin })]),
          ]}
        />
      </p>
    </div>
  );
}

function staying({ opens: _, ...write }: ReturnType<typeof newAccount>): ReturnType<typeof newAccount> {
  return { ...write, done: 'Created.' };
}

function AccountLinks({ org, accounts }: { org: string; accounts: readonly Account[] }) {
  if (accounts.length === 0) return <p>There is no service account yet.</p>;
  return (
    <p>
      Service accounts:{' '}
      {accounts.map(({ name, privilege }, n) => (
        <span key={name}>
          {n > 0 && ', '}
          <PageLink page="service-account" params={{ org, account: name }}>
            <Text>{name}</Text>
          </PageLink>{' '}
          ({privilege})
        </span>
      ))}
    </p>
  );
}
