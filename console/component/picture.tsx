import { PageLink } from '../parts/link/link.tsx';
import { Lanes } from '../parts/plot/lanes.tsx';
import { Text } from '../parts/text/text.tsx';
import { exposurePeriod, type Found, lanesOf } from './model/exposure.ts';

/** Lanes of the picture. More would not fit a screen; the tables have all environments. */
const MOST_LANES = 20;

interface PictureProps {
  org: string;
  found: Found;
  asOf: number;
}

/** Environments as lanes over time, with the times in which something that holds the component ran. */
export function Picture({ org, found, asOf }: PictureProps) {
  const period = exposurePeriod(found, asOf);
  const lanes = lanesOf(found, period);
  return (
    <>
      <Lanes
        period={period}
        lanes={lanes.slice(0, MOST_LANES).map(({ environment: env, intervals }) => ({
          key: env,
          label: (
            <PageLink page="environment" params={{ org, env }}>
              <Text>{env}</Text>
            </PageLink>
          ),
          intervals,
        }))}
      />
      {lanes.length > MOST_LANES && (
        <p>
          The first {MOST_LANES} of {lanes.length} environments. The tables have all of them.
        </p>
      )}
    </>
  );
}
