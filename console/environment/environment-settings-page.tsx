import { Writes } from '../parts/form/writes.tsx';
import { OutLink, PageLink } from '../parts/link/link.tsx';
import { KeyValues } from '../parts/page/key-values.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { Code } from '../parts/text/code.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import styles from './environment.module.css';
import { EnvironmentHead, useEnvironment } from './environment-head.tsx';
import { settingsWrites } from './forms.ts';
import { commandsOfSettings } from './model/environment-commands.ts';
import { settingsSentence } from './model/environment-settings.ts';
import type { environmentSettingsRoute } from './routes.ts';

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
      <Panel
        title="Settings"
        actions={<Writes org={org} writes={settingsWrites(org, environment).filter(({ isRare }) => !isRare)} />}
      >
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
