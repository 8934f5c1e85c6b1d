import { stateOfVerdict } from '../model/states.ts';
import { duration } from '../model/time.ts';
import { PageLink } from '../parts/link/link.tsx';
import { PolicyLinks } from '../parts/link/name-links.tsx';
import { Legend } from '../parts/plot/legend.tsx';
import { Strip } from '../parts/plot/strips.tsx';
import { Table } from '../parts/table/table.tsx';
import { State, StateMark } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time, useNow } from '../parts/text/time.tsx';
import styles from './environment-table.module.css';
import { lastDays, stateIntervals } from './model/environment-timeline.ts';
import { silenceText } from './model/silence.ts';
import { type Environment, everReported } from './operations.ts';

const DAYS = 30;

interface EnvironmentTableProps {
  org: string;
  environments: readonly Environment[];
  /** Whether the page is the list of environments, whose headings order it. */
  isList?: boolean;
}

/** Environments with their states of the last 30 days, and the verdicts of what runs in them. */
export function EnvironmentTable({ org, environments, isList = false }: EnvironmentTableProps) {
  const now = useNow();
  const period = lastDays(DAYS, now);
  return (
    <>
      <Table
        caption="Environments"
        rows={environments}
        keyOf={({ name }) => name}
        isUnreadable={({ unreadable }) => unreadable === true}
        columns={[
          {
            head: 'Environment',
            serverSort: isList ? { by: 'name', begins: 'ascending' } : undefined,
            cell: ({ name, type }) => (
              <>
                <PageLink page="environment" params={{ org, env: name }} strong row>
                  <Text>{name}</Text>
                </PageLink>{' '}
                <span className={styles['quiet']}>{type}</span>
              </>
            ),
          },
          {
            head: 'State',
            serverSort: isList ? { by: 'state', begins: 'ascending', isUsual: true } : undefined,
            fit: true,
            cell: ({ state, state_reason: reason, states }) => (
              <>
                <State state={stateOfVerdict(state)} />{' '}
                {/* The time would be that of the newest snapshot, which had another verdict. */}
                {reason == null && states?.since != null && (
                  <span className={`${styles['quiet']} ${styles['whole']}`}>
                    for {duration(Math.max(0, now - states.since))}
                  </span>
                )}
              </>
            ),
          },
          {
            head: `Last ${DAYS} days`,
            cell: ({ states }) => (
              <span className={styles['strip']}>
                {states && <Strip period={period} intervals={stateIntervals(states, now)} />}
              </span>
            ),
          },
          { head: 'Artifacts', fit: true, cell: (environment) => <Counts org={org} environment={environment} /> },
          {
            head: 'Policies',
            fit: true,
            cell: ({ policies }) => (policies.length === 0 ? '–' : <PolicyLinks org={org} policies={policies} />),
          },
          {
            head: 'Last change',
            serverSort: isList ? { by: 'last_changed_at', begins: 'descending' } : undefined,
            fit: true,
            cell: ({ last_changed_at: at }) => <Time at={at} show="ago" never="never" />,
          },
          {
            head: 'Last report',
            fit: true,
            cell: (environment) => <LastReport environment={environment} />,
          },
          {
            head: 'Compare',
            fit: true,
            cell: ({ name, ...environment }) =>
              everReported(environment) && (
                <PageLink
                  page="compare"
                  params={{ org }}
                  search={{ a: `${name}~1`, b: name }}
                  title="Compare the newest snapshot with the one before"
                >
                  Compare
                </PageLink>
              ),
          },
        ]}
      />
      <Legend
        states={['compliant', 'non-compliant', 'unknown']}
        notes={[`the last ${DAYS} days, the newest on the right`]}
      />
    </>
  );
}

/** When the last report came. Silence is what the reader has to see, so it takes the place of the time. */
function LastReport({ environment }: { environment: Environment }) {
  const silence = silenceText(environment, useNow());
  if (silence !== null) {
    return (
      <span className={styles['silent']}>
        <State state="silent">
          <Text>{silence}</Text>
        </State>
      </span>
    );
  }
  return <Time at={environment.last_reported_at} show="ago" never={environment.type === 'logical' ? '–' : 'never'} />;
}

const COUNTED = [
  ['true', 'compliant'],
  ['false', 'non-compliant'],
  ['null', 'unknown'],
] as const;

/** How many artifacts run, by verdict. Each number leads to what it counts. */
function Counts({ org, environment: { name: env, states } }: { org: string; environment: Environment }) {
  const counts = states?.artifact_compliance_count;
  if (!counts) return '–';
  const found = COUNTED.filter(([verdict]) => counts[verdict] > 0);
  if (found.length === 0) return 'nothing runs';
  return (
    <span className={styles['counts']}>
      {found.map(([verdict, state]) => (
        <PageLink key={verdict} page="environment" params={{ org, env }} search={{ state }} className={styles['count']}>
          <StateMark state={state} />
          {counts[verdict].toLocaleString('en')}
        </PageLink>
      ))}
    </span>
  );
}
