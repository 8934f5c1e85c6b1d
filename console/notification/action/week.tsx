import { useAnswer } from '../../client/live.ts';
import { StackedBars } from '../../parts/plot/bars.tsx';
import { Legend } from '../../parts/plot/legend.tsx';
import { useNow } from '../../parts/text/time.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import { daysSentence, dayText, deliveryDays } from '../model/delivery-days.ts';
import { readWeek } from '../routes.ts';
import styles from './action.module.css';

/** What became of the deliveries of the last seven days, by the day of the event. */
export function Week({ params }: { params: ParamsOf<'action'> }) {
  const now = useNow();
  const { deliveries: found, next_cursor: older } = useAnswer(readWeek(params, now));
  const days = deliveryDays(found, older !== null, now);
  return (
    <div className={styles['week']}>
      <StackedBars
        label="Deliveries per day"
        unit="deliveries per day"
        bars={days.map((day) => ({
          key: day.date,
          label: dayText(day),
          parts: [
            { tone: 'good', count: day.delivered },
            { tone: 'bad', count: day.failed },
            { tone: 'quiet', count: day.pending },
          ],
          isUncertain: !day.isComplete,
        }))}
      />
      <Legend
        states={['delivered', 'dead', 'pending']}
        words={{ dead: 'dead or discarded' }}
        notes={['grey ground: there may be more']}
      />
      <p className={styles['quiet']}>{daysSentence(days)}</p>
    </div>
  );
}
