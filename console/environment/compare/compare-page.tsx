import { useAnswer } from '../../client/live.ts';
import { Panel } from '../../parts/page/panel.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { VerdictLine } from '../../parts/page/verdict-line.tsx';
import { Text } from '../../parts/text/text.tsx';
import type { PageProps } from '../../routes/route.ts';
import { comparisonOf, comparisonSentence, type Side } from '../model/comparison.ts';
import { diffOfSnapshots } from '../operations.ts';
import { type compareRoute, readDiff } from '../routes.ts';
import { ChangedTable, SideTable } from './artifact-tables.tsx';
import { ChooseForm, SwapButton } from './choose-form.tsx';
import styles from './compare.module.css';
import { ComponentPanel } from './component-panel.tsx';
import { SnapshotLink } from './snapshot-link.tsx';

/** Two snapshots of one environment or of two: what runs in only one of them, and what changed. */
export default function ComparePage({ params: { org }, search: { a, b, from, to } }: PageProps<typeof compareRoute>) {
  if (a === undefined || b === undefined) {
    return (
      <>
        <VerdictLine
          subject="Compare"
          context={org}
          sentence="Choose two snapshots, of one environment or of two, to see what differs."
        />
        <ChooseForm org={org} a={a ?? ''} b={b ?? ''} />
      </>
    );
  }
  return <Comparison key={`${a} ${b}`} org={org} a={a} b={b} from={from} to={to} />;
}

interface ComparisonProps {
  org: string;
  a: string;
  b: string;
  /** The artifacts whose components are compared. */
  from: string | undefined;
  to: string | undefined;
}

function Comparison({ org, a, b, from, to }: ComparisonProps) {
  const diff = diffOfSnapshots(useAnswer(readDiff(org, a, b)));
  const found = comparisonOf(diff);
  const [one, other] = [diff.snappish1.snapshot_id, diff.snappish2.snapshot_id];
  return (
    <>
      <VerdictLine
        kind="Compare"
        subject={`${one} and ${other}`}
        context={org}
        sentence={<Text>{comparisonSentence(found, one, other)}</Text>}
        facts={[<SnapshotLink key="a" org={org} snappish={one} />, <SnapshotLink key="b" org={org} snappish={other} />]}
        actions={<SwapButton org={org} a={a} b={b} />}
      />
      <div className={styles['form']}>
        <ChooseForm org={org} a={a} b={b} />
      </div>
      {found.changed.length > 0 && (
        <Panel title="Changed" note={`${found.changed.length}: another version of the same name, or other instances`}>
          <ChangedTable org={org} rows={found.changed} one={one} other={other} sides={{ a, b }} />
        </Panel>
      )}
      {from !== undefined && to !== undefined && <ComponentPanel key={`${from} ${to}`} org={org} from={from} to={to} />}
      <Only org={org} snappish={one} rows={found.onlyFirst} />
      <Only org={org} snappish={other} rows={found.onlySecond} />
      {found.same.length > 0 && (
        <details className={styles['same']}>
          <summary>The same in both: {found.same.length.toLocaleString('en')}</summary>
          <SideTable org={org} rows={found.same} caption="Artifacts that run in both" />
        </details>
      )}
      <Raw
        value={diff}
        path={`/env-diff/${org}?snappish1=${encodeURIComponent(a)}&snappish2=${encodeURIComponent(b)}`}
      />
    </>
  );
}

const Only = ({ org, snappish, rows }: { org: string; snappish: string; rows: readonly Side[] }) =>
  rows.length > 0 && (
    <Panel title={`Only in ${snappish}`} note={String(rows.length)}>
      <SideTable org={org} rows={rows} caption={`Artifacts that run only in ${snappish}`} />
    </Panel>
  );
