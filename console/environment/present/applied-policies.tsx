import { shortName } from '#shared/base/reasons/artifact-name.ts';
import { PageLink } from '../../parts/link/link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Id } from '../../parts/text/id.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { type PolicyLines, policyLines, type RuleLine } from '../../policy/model/policy-rules.ts';
import type { Snapshot } from '../operations.ts';
import styles from './applied-policies.module.css';

/** How many failing artifacts of a policy are named. */
const MOST_NAMED = 20;

/** The policies of a snapshot: each rule, and how many running artifacts satisfy it. */
export function AppliedPolicies({ org, snapshot }: { org: string; snapshot: Snapshot }) {
  const policies = policyLines(snapshot);
  if (policies.length === 0)
    return <Empty sentence="No policy was applied to this snapshot, so its verdict is unknown." />;
  return (
    <div className={styles['policies']}>
      {policies.map((policy) => (
        <section key={policy.name} className={styles['policy']}>
          <h3>
            <PageLink page="policy" params={{ org, policy: policy.name }} search={{ version: policy.version }}>
              <Text>{policy.name}</Text> v{policy.version}
            </PageLink>{' '}
            <State state={policy.failing.length > 0 ? 'non-compliant' : 'compliant'} chip />
          </h3>
          <Rules policy={policy} />
          {policy.failing.length > 0 && <Failing failing={policy.failing} />}
        </section>
      ))}
    </div>
  );
}

const Rules = ({ policy: { rules, name } }: { policy: PolicyLines }) =>
  rules.length === 0 ? (
    <p>The policy asks for nothing.</p>
  ) : (
    <Table
      caption={`Rules of ${name}`}
      rows={rules.map((rule, n) => ({ ...rule, key: String(n) }))}
      keyOf={({ key }) => key}
      columns={[
        { head: 'Rule', cell: (rule) => <Rule rule={rule} /> },
        { head: 'Satisfied', fit: true, align: 'end', cell: ({ satisfied }) => satisfied.toLocaleString('en') },
        {
          head: 'Not satisfied',
          fit: true,
          align: 'end',
          cell: ({ failing }) =>
            failing === 0 ? '0' : <State state="non-compliant">{failing.toLocaleString('en')}</State>,
        },
        {
          head: 'Allowed',
          fit: true,
          align: 'end',
          cell: ({ allowed }) => (allowed === 0 ? '0' : <State state="allowed">{allowed.toLocaleString('en')}</State>),
        },
        { head: 'Does not apply', fit: true, align: 'end', cell: ({ notApplied }) => notApplied.toLocaleString('en') },
      ]}
    />
  );

const Rule = ({ rule: { text, conditions } }: { rule: RuleLine }) => (
  <>
    <Text>{text}</Text>
    {conditions.map((condition) => (
      <code key={condition} className={styles['condition']}>
        <Text>{condition}</Text>
      </code>
    ))}
  </>
);

const Failing = ({ failing }: { failing: PolicyLines['failing'] }) => (
  <div className={styles['failing']}>
    <p>Not compliant with it:</p>
    <ul>
      {failing.slice(0, MOST_NAMED).map(({ name, fingerprint }) => (
        <li key={`${name} ${fingerprint}`}>
          <Text>{shortName(name)}</Text>{' '}
          <Id what="fingerprint" short plain>
            {fingerprint}
          </Id>
        </li>
      ))}
      {failing.length > MOST_NAMED && <li>and {(failing.length - MOST_NAMED).toLocaleString('en')} more</li>}
    </ul>
  </div>
);
