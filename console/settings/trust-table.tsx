import { useAnswer } from '../client/live.ts';
import { Writes } from '../parts/form/writes.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Table } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { claimsText } from './claims.ts';
import type { Trust } from './operations.ts';
import { readAccounts, readTrusts } from './routes.ts';
import styles from './settings.module.css';
import { presetLabel, removeTrust, trustForm } from './trust-forms.ts';

interface TrustTableProps {
  org: string;
  /** Only trusts of this CI system; absent = all. */
  preset?: string;
}

/** The trusts of an organization with their warnings. Only administrators may read them. */
export function TrustTable({ org, preset }: TrustTableProps) {
  const { trusts: all } = useAnswer(readTrusts(org));
  const accounts = useAnswer(readAccounts(org));
  const trusts = all.filter((one) => preset === undefined || one.preset === preset);
  if (trusts.length === 0) {
    return (
      <Empty
        sentence="No pipeline is trusted yet."
        remedy="A trust says which tokens of a CI system act as a service account. Then no key lies in the settings of the CI system."
      />
    );
  }
  return (
    <Table
      caption="Trusts"
      rows={trusts}
      keyOf={({ name }) => name}
      isUnreadable={({ unreadable }) => unreadable === true}
      columns={[
        { head: 'Name', cell: ({ name }) => <Text>{name}</Text> },
        {
          head: 'Pipelines',
          wide: true,
          cell: (trust) => <Pipelines trust={trust} />,
        },
        { head: 'Act as', fit: true, cell: ({ service_account: account }) => <Text>{account}</Text> },
        {
          head: 'First used',
          fit: true,
          cell: ({ first_used_at: at }) => (at === 0 ? 'not yet' : <Time at={at} />),
        },
        {
          head: 'Change',
          fit: true,
          cell: (trust) => (
            <span className={styles['buttons']}>
              <Writes
                org={org}
                writes={[trustForm(org, accounts, trust), removeTrust(org, trust)]}
                isExplained={false}
              />
            </span>
          ),
        },
      ]}
    />
  );
}

const Pipelines = ({ trust: { preset, issuer, claims, warnings } }: { trust: Trust }) => (
  <>
    {presetLabel(preset)} at <Text>{issuer}</Text>
    <br />
    <Text lines>{claimsText(claims)}</Text>
    {warnings.map((warning) => (
      <p key={warning} className={styles['warning']}>
        <Text>{warning}</Text>
      </p>
    ))}
  </>
);
