import { useState } from 'react';
import { useAnswer } from '../../client/live.ts';
import { read } from '../../client/query-client.ts';
import { Button } from '../../parts/control/button.tsx';
import { Waiting } from '../../parts/page/panel.tsx';
import { Text } from '../../parts/text/text.tsx';
import { type Attestation, type SbomComponent, sbomComponents } from '../operations.ts';
import styles from './attestation.module.css';
import { componentFacts, componentsSentence } from './model/components.ts';
import views from './views/views.module.css';

interface ComponentsProps {
  org: string;
  attestation: Attestation;
}

/** Whether the service knows the components of an SBOM, and the list of them. */
export function Components({ org, attestation: { attestation_id: id, components } }: ComponentsProps) {
  if (!components) return null;
  return (
    <section className={styles['part']}>
      <h3>Components</h3>
      <p>
        <Text>{componentsSentence(components)}</Text>
      </p>
      {components.state === 'read' && (
        <Waiting rows={3}>
          <Page key={id} org={org} id={id} before={0} cursor={null} />
        </Waiting>
      )}
    </section>
  );
}

interface PageProps {
  org: string;
  id: string;
  /** How many components the pages before have. */
  before: number;
  cursor: string | null;
}

/** Components of a page. */
const PER_PAGE = 50;

/** A page of the list, and behind it the next one when it is asked for. */
function Page({ org, id, before, cursor }: PageProps) {
  const [isOpen, setOpen] = useState(false);
  const {
    components,
    total,
    next_cursor: next,
  } = useAnswer(
    read(sbomComponents, { org, attestation_id: id }, { per_page: PER_PAGE, ...(cursor !== null && { cursor }) }),
  );
  const shown = before + components.length;
  return (
    <>
      <ul className={views['list']} aria-label={`Components ${before + 1} to ${shown}`}>
        {components.map((component) => (
          <li key={`${component.purl} ${component.name} ${component.version}`}>
            <Component component={component} />
          </li>
        ))}
      </ul>
      {next !== null && !isOpen && (
        <Button onClick={() => setOpen(true)}>
          More: {shown.toLocaleString('en')} of {total.toLocaleString('en')} are shown
        </Button>
      )}
      {next !== null && isOpen && (
        <Waiting rows={3}>
          <Page org={org} id={id} before={shown} cursor={next} />
        </Waiting>
      )}
    </>
  );
}

const Component = ({ component }: { component: SbomComponent }) => (
  <div className={views['item']}>
    <div className={views['line']}>
      <span className={views['name']}>
        <Text>{component.name}</Text>
      </span>
      <Text>{componentFacts(component)}</Text>
    </div>
    {component.purl !== null && (
      <span className={views['quiet']}>
        <Text>{component.purl}</Text>
      </span>
    )}
  </div>
);
