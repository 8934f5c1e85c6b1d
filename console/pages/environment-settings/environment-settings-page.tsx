import { settingsWrites } from '../../forms/environments.ts';
import { commandsOfSettings } from '../../model/environment-commands.ts';
import { settingsSentence } from '../../model/environment-settings.ts';
import { Code } from '../../parts/code.tsx';
import { KeyValues } from '../../parts/key-values.tsx';
import { OutLink, PageLink } from '../../parts/link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Raw } from '../../parts/raw.tsx';
import { Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Writes } from '../../parts/writes.tsx';
import styles from '../environment/environment.module.css';
import { EnvironmentHead, useEnvironment } from '../environment/environment-head.tsx';
import type { PageProps } from '../route.ts';
import type { environmentSettingsRoute } from './route.ts';

/** The settings of an environment, and the commands that change them. */
export default function EnvironmentSettingsPage({ params }: PageProps<typeof environmentSettingsRoute>) {
  const { org } = params;
  const environment = useEnvironment(params);
  const { name, type, description, tags, included_environments: members, last_modified_at: modified } = environment;
  return (
    <>
      <EnvironmentHead
        params={params}
        environment={environment}
        current="settings"
        sentence={<Text>{settingsSentence(environment)}</Text>}
      />
      <Panel title="Settings" actions={<Writes org={org} writes={settingsWrites(org, environment)} />}>
        <KeyValues
          rows={[
            ['Name', <Text key="name">{name}</Text>],
            ['Type', type],
            [
              'Description',
              description === '' ? (
                'none'
              ) : (
                <Text key="description" lines>
                  {description}
                </Text>
              ),
            ],
            [
              'Tags',
              Object.keys(tags).length === 0 ? (
                'none'
              ) : (
                <ul key="tags" className={styles['list']}>
                  {Object.entries(tags).map(([key, value]) => (
                    <li key={key}>
                      <Text>{key}</Text>: {/^https?:/i.test(value) ? <OutLink href={value} /> : <Text>{value}</Text>}
                    </li>
                  ))}
                </ul>
              ),
            ],
            [
              'Members',
              members !== null &&
                (members.length === 0 ? (
                  'none'
                ) : (
                  <ul key="members" className={styles['list']}>
                    {members.map((env) => (
                      <li key={env}>
                        <PageLink page="environment" params={{ org, env }} row>
                          <Text>{env}</Text>
                        </PageLink>
                      </li>
                    ))}
                  </ul>
                )),
            ],
            ['Last change or report', <Time key="modified" at={modified} show="full" />],
          ]}
        />
      </Panel>
      <Panel title="Commands" note="members of the organization may; KEY is an API key of yours">
        <div className={styles['stack']}>
          {commandsOfSettings({ host: location.origin, ...params }).map(({ what, text }) => (
            <Code key={what} what={what} wrap>
              {text}
            </Code>
          ))}
        </div>
      </Panel>
      <Raw value={environment} path={`/environments/${org}/${name}`} />
    </>
  );
}
