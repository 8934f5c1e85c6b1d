import { useLiveAnswer } from '../client/live.ts';
import { quoted } from '../model/commands.ts';
import { Writes } from '../parts/form/writes.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { KeyValues } from '../parts/page/key-values.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Table } from '../parts/table/table.tsx';
import { Code } from '../parts/text/code.tsx';
import { Json } from '../parts/text/json.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { ParamsOf } from '../routes/params.ts';
import type { PageProps } from '../routes/route.ts';
import { typeWrites } from './forms.ts';
import { typeSentence } from './model/types.ts';
import type { TypeVersion } from './operations.ts';
import { readType, type typeRoute } from './routes.ts';

/** The page of a custom type: what its data must be, what decides, and its versions. */
export default function TypePage({ params, search }: PageProps<typeof typeRoute>) {
  const { org } = params;
  const type = useLiveAnswer(readType(params), 60);
  const wanted = search.version ?? type.versions[0]?.version;
  const version = type.versions.find(({ version: number }) => number === wanted);
  return (
    <>
      <VerdictLine
        kind="Attestation type"
        subject={type.name}
        sentence={
          version || type.versions.length === 0
            ? typeSentence(type, version)
            : `The type has no version ${wanted}. The newest is ${type.versions[0]?.version}.`
        }
        description={type.description ?? ''}
        actions={<Writes org={org} writes={typeWrites(org, type)} />}
        facts={[
          <PageLink key="attestations" page="attestations" params={{ org }} search={{ type: `custom:${type.name}` }}>
            Attestations of this type
          </PageLink>,
          ...(type.created_by === undefined
            ? []
            : [
                <span key="created">
                  created <Time at={type.created_at} /> by <Text>{type.created_by}</Text>
                </span>,
              ]),
          ...(type.archived ? ['archived'] : []),
        ]}
      />
      {version && <Version version={version} />}
      <Panel title="Versions">
        <Versions params={params} versions={type.versions} shown={version?.version} />
      </Panel>
      <Panel title="Report it">
        <Code what="Command-line client" wrap>
          {`kosli attest custom --type ${quoted(type.name)} --attestation-data FILE --name NAME \\\n  --flow FLOW --trail TRAIL --org ${org} --host ${location.origin} --api-token "$KEY"`}
        </Code>
      </Panel>
      <Raw value={type} path={`/custom-attestation-types/${org}/${type.name}`} />
    </>
  );
}

const Version = ({ version: { evaluator, type_schema: schema, summary } }: { version: TypeVersion }) => (
  <>
    <Panel title="Rules" note="jq expressions; all must be true of the data">
      {evaluator.content_type === 'default' ? (
        <Empty sentence="There are no rules. Who reports an attestation says whether it is compliant." />
      ) : (
        <Code what="jq" numbers>
          {evaluator.rules.join('\n')}
        </Code>
      )}
    </Panel>
    <Panel title="Schema" note="JSON Schema of the data">
      {schema === null ? (
        <Empty sentence="There is no schema. Any JSON is accepted." />
      ) : (
        <Json value={schema} what="Schema" />
      )}
    </Panel>
    {summary !== null && summary.length > 0 && (
      <Panel title="Summary" note="what pages show of the data first">
        <KeyValues
          rows={summary.map(
            ({ name, expression }) =>
              [
                name,
                <code key={name}>
                  <Text>{expression}</Text>
                </code>,
              ] as const,
          )}
        />
      </Panel>
    )}
  </>
);

interface VersionsProps {
  params: ParamsOf<'type'>;
  versions: readonly TypeVersion[];
  shown: number | undefined;
}

const Versions = ({ params, versions, shown }: VersionsProps) => (
  <Table
    caption="Versions, the newest first"
    rows={versions}
    keyOf={({ version }) => String(version)}
    columns={[
      {
        head: 'Version',
        cell: ({ version }) => (
          <>
            <PageLink page="type" params={params} search={{ version }} strong row keepPlace replace>
              Version {version}
            </PageLink>
            {version === shown && ' (shown)'}
          </>
        ),
      },
      {
        head: 'Rules',
        fit: true,
        align: 'end',
        cell: ({ evaluator }) => (evaluator.content_type === 'default' ? '–' : evaluator.rules.length),
      },
      { head: 'Schema', fit: true, cell: ({ type_schema: schema }) => (schema === null ? 'none' : 'yes') },
      { head: 'By', fit: true, cell: ({ created_by: by }) => <Text>{by}</Text> },
      { head: 'When', fit: true, cell: ({ timestamp: at }) => <Time at={at} /> },
    ]}
  />
);
