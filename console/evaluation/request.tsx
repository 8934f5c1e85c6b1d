import { useAnswer } from '../client/live.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { KeyValues } from '../parts/page/key-values.tsx';
import { Table } from '../parts/table/table.tsx';
import { Code } from '../parts/text/code.tsx';
import { Id } from '../parts/text/id.tsx';
import { Json } from '../parts/text/json.tsx';
import { Text } from '../parts/text/text.tsx';
import type { ParamsOf } from '../routes/params.ts';
import styles from './evaluation.module.css';
import { readRequest } from './routes.ts';

type Params = ParamsOf<'evaluation'>;

/** A file above this size opens on request only. */
const LONG = 20_000;

/** The trails that were judged, as they were then. */
export function Trails({ params }: { params: Params }) {
  const { org } = params;
  const { trails } = useAnswer(readRequest(params));
  if (trails === null) return <Empty sentence="The names of the trails were erased." />;
  return (
    <Table
      caption="Trails"
      rows={trails}
      keyOf={({ flow, trail }) => `${flow} ${trail}`}
      columns={[
        {
          head: 'Trail',
          cell: ({ flow, trail, moment }) => (
            <PageLink
              page="trail"
              params={{ org, flow, trail }}
              search={{ moment: moment === 0 ? undefined : moment }}
              strong
              row
              title="The trail as it was then"
            >
              <Text>{trail}</Text>
            </PageLink>
          ),
        },
        {
          head: 'Flow',
          cell: ({ flow }) => (
            <PageLink page="flow" params={{ org, flow }}>
              <Text>{flow}</Text>
            </PageLink>
          ),
        },
        { head: 'Read up to', fit: true, cell: ({ moment }) => (moment === 0 ? 'it was empty' : `moment #${moment}`) },
      ]}
    />
  );
}

/** The decision that the request asked to record. */
export function DecisionOf({ params, id }: { params: Params; id: string | null }) {
  const { org } = params;
  const { decision } = useAnswer(readRequest(params));
  if (!decision) return <p className={styles['quiet']}>The request did not ask to record a decision.</p>;
  const { control, name, flow, trail, fingerprint } = decision;
  return (
    <KeyValues
      rows={[
        [
          'Control',
          <PageLink key="control" page="control" params={{ org, control }}>
            <Text>{control}</Text>
          </PageLink>,
        ],
        [
          'Recorded as',
          id === null ? (
            'nothing: a decision is recorded when there is a verdict'
          ) : (
            <PageLink key="id" page="trail" params={{ org, flow, trail }} search={{ attestation_id: id }}>
              <Text>{`${name} in ${trail} of ${flow}`}</Text>
            </PageLink>
          ),
        ],
        [
          'Artifact',
          fingerprint === null ? (
            'the whole trail'
          ) : (
            <PageLink key="artifact" page="artifact" params={{ org, flow, fingerprint }}>
              <Id what="fingerprint" short plain>
                {fingerprint}
              </Id>
            </PageLink>
          ),
        ],
      ]}
    />
  );
}

/** The files of the program, and its parameters. */
export function Program({ params }: { params: Params }) {
  const { files, params: values } = useAnswer(readRequest(params));
  if (files === null) return <Empty sentence="The policy program was erased. Its digest remains." />;
  return (
    <div className={styles['files']}>
      {files.map(({ path, text }) =>
        text.length > LONG ? (
          <details key={path}>
            <summary>
              <Text>{path}</Text> ({Math.round(text.length / 1000)} KB)
            </summary>
            <Code what={path} numbers>
              {text.trimEnd()}
            </Code>
          </details>
        ) : (
          <Code key={path} what={path} numbers>
            {text.trimEnd()}
          </Code>
        ),
      )}
      {values !== null && values !== undefined && <Json value={values} what="Parameters" />}
    </div>
  );
}
