import { commitText } from '../model/commit.ts';
import { stateOfWord } from '../model/states.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Table } from '../parts/table/table.tsx';
import { Id } from '../parts/text/id.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import styles from './home.module.css';
import type { NewestTrail } from './operations.ts';

/** Trails of all flows, as the API orders them. */
export const TrailTable = ({ org, trails }: { org: string; trails: readonly NewestTrail[] }) => (
  <Table
    caption="The newest trails"
    rows={trails}
    keyOf={({ flow_name: flow, name }) => `${flow} ${name}`}
    columns={[
      {
        head: 'Trail',
        cell: ({ name, flow_name: flow }) => (
          <PageLink page="trail" params={{ org, flow, trail: name }} strong row>
            <Text>{name}</Text>
          </PageLink>
        ),
      },
      {
        head: 'Flow',
        cell: ({ flow_name: flow }) => (
          <PageLink page="flow" params={{ org, flow }}>
            <Text>{flow}</Text>
          </PageLink>
        ),
      },
      { head: 'State', fit: true, cell: ({ compliance_state: word }) => <State state={stateOfWord(word)} /> },
      {
        head: 'Commit',
        cell: ({ git_commit_info: commit }) => {
          const { sha1, message, author } = commitText(commit);
          return (
            <span className={styles['commit']} title={message}>
              {sha1 !== '' && (
                <Id what="commit" short plain>
                  {sha1}
                </Id>
              )}{' '}
              <Text>{message}</Text>
              {author !== '' && (
                <>
                  {' '}
                  by <Text>{author}</Text>
                </>
              )}
            </span>
          );
        },
      },
      { head: 'Began', fit: true, cell: ({ created_at: at }) => <Time at={at} show="ago" /> },
      { head: 'Last report', fit: true, cell: ({ last_modified_at: at }) => <Time at={at} show="ago" /> },
    ]}
  />
);
