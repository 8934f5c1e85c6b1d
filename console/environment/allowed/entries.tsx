import { useAnswer } from '../../client/live.ts';
import { RecipientsLink } from '../../notification/recipients-link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { CursorPager } from '../../parts/table/cursor-pager.tsx';
import { Table } from '../../parts/table/table.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { ArtifactName } from '../../release/artifact-name.tsx';
import type { PageProps } from '../../routes/route.ts';
import { rowsByFingerprint } from '../model/allow-list.ts';
import { stateOfRow } from '../model/snapshot-rows.ts';
import type { AllowedEntry, SnapshotRow } from '../operations.ts';
import { type environmentAllowedRoute, readAllowList } from '../routes.ts';

interface EntriesProps extends PageProps<typeof environmentAllowedRoute> {
  /** What runs in the environment; undefined while that is not known. */
  running: readonly SnapshotRow[] | undefined;
}

/** The entries of the allow-list: what is allowed, why, by whom and since when, and whether it runs now. */
export function Entries({ params, search, running = [] }: EntriesProps) {
  const { org } = params;
  const { entries, next_cursor: next } = useAnswer(readAllowList(params, search.cursor));
  const rows = rowsByFingerprint(running);
  return (
    <>
      {entries.length === 0 ? (
        <Empty
          sentence={next === null ? 'No artifact is on the allow-list.' : 'No entry is on this page.'}
          remedy="An entry allows one artifact, by its fingerprint, and names the reason."
        />
      ) : (
        <Table
          caption="Entries of the allow-list"
          rows={entries}
          keyOf={({ artifact_fingerprint: fingerprint }) => fingerprint}
          isUnreadable={({ unreadable }) => unreadable === true}
          columns={[
            {
              head: 'Artifact',
              cell: ({ artifact_fingerprint: fingerprint, artifact_name: name }) => (
                <ArtifactName
                  org={org}
                  name={name || 'unreadable entry'}
                  fingerprint={fingerprint}
                  flow={rows.get(fingerprint)?.flow_name ?? null}
                />
              ),
            },
            { head: 'Reason', wide: true, cell: ({ description }) => <Reason text={description} /> },
            { head: 'Allowed by', fit: true, cell: ({ created_by: by }) => <Text>{by}</Text> },
            { head: 'When', fit: true, cell: ({ created_at: at }: AllowedEntry) => <Time at={at} /> },
            {
              head: 'Notified',
              fit: true,
              cell: ({ artifact_fingerprint: fingerprint }) => (
                <RecipientsLink
                  org={org}
                  event={{ environment: params.env, trigger: 'ON_ALLOWED_ARTIFACT', fingerprint }}
                />
              ),
            },
            {
              head: 'Runs now',
              fit: true,
              cell: ({ artifact_fingerprint: fingerprint }) => {
                const row = rows.get(fingerprint);
                return row === undefined ? 'no' : <State state={stateOfRow(row)} />;
              },
            },
          ]}
        />
      )}
      <CursorPager
        next={next}
        page="environment-allowed"
        params={params}
        search={search}
        labels={{ first: 'Back to the first entries', next: 'More entries' }}
      />
    </>
  );
}

const Reason = ({ text }: { text: string }) => (text === '' ? 'no reason given' : <Text lines>{text}</Text>);
