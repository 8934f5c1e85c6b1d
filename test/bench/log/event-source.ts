/** The event source of a queue in simulated time. Times are in milliseconds. */

/** A message that the queue hands out from a time on. */
export interface Arriving {
  at: number;
  body: unknown;
}

interface EventSource {
  /** Connections that poll the queue. Each of them makes one call of the function at a time. */
  connections: number;
  /** How long a connection gathers messages for a call after its first one. */
  windowMillis: number;
  /** Most messages of a call. */
  batch: number;
  /**
   * Makes a call of the function.
   * @param connection from 0
   * @returns how long the call took, and the messages that it sent to the same queue
   */
  call(bodies: unknown[], at: number, connection: number): Promise<{ millis: number; sent: Arriving[] }>;
}

interface Connection {
  bodies: unknown[];
  /** When it calls the function; without messages never. */
  callsAt: number;
  /** When its last call ends. */
  freeAt: number;
}

const NEVER = Number.POSITIVE_INFINITY;

/**
 * Hands messages to connections, and lets the connections call the function, until no message is left. A message comes to any
 * connection that is free and has room, but in each run to the same one. While all are busy, messages wait in their order.
 *
 * @param arriving in the order of their times
 */
export async function playEventSource(
  arriving: readonly Arriving[],
  { connections: count, windowMillis, batch, call }: EventSource,
): Promise<void> {
  const connections = Array.from({ length: count }, (): Connection => ({ bodies: [], callsAt: NEVER, freeAt: 0 }));
  const sentLater: Arriving[] = [];
  const waiting: unknown[] = [];
  let seed = 1;
  let next = 0;

  const take = (connection: Connection, bodies: unknown[], at: number) => {
    if (connection.bodies.length === 0) connection.callsAt = at + windowMillis;
    connection.bodies.push(...bodies);
    if (connection.bodies.length >= batch) connection.callsAt = at;
  };
  const arrive = ({ at, body }: Arriving) => {
    const free = connections.filter(({ freeAt, bodies }) => freeAt <= at && bodies.length < batch);
    seed = (seed * 16_807) % 2_147_483_647;
    const connection = free[seed % free.length];
    if (connection) take(connection, [body], at);
    else waiting.push(body);
  };
  const callFunction = async (connection: Connection) => {
    const at = connection.callsAt;
    const bodies = connection.bodies.splice(0);
    connection.callsAt = NEVER;
    const { millis, sent } = await call(bodies, at, connections.indexOf(connection));
    connection.freeAt = at + millis;
    sentLater.push(...sent);
    sentLater.sort((one, other) => one.at - other.at);
  };

  for (;;) {
    const [first, later] = [arriving[next], sentLater[0]];
    const isLater = later !== undefined && later.at < (first?.at ?? NEVER);
    const message = isLater ? later : first;
    const caller = earliest(connections, ({ callsAt }) => callsAt);
    const freed = earliest(connections, ({ callsAt, freeAt }) => (callsAt === NEVER ? freeAt : NEVER));
    const events = [
      { at: waiting.length > 0 ? freed.at : NEVER, run: () => take(freed.of, waiting.splice(0, batch), freed.at) },
      { at: caller.at, run: () => callFunction(caller.of) },
      {
        at: message?.at ?? NEVER,
        run: () => {
          if (isLater) sentLater.shift();
          else next += 1;
          if (message) arrive(message);
        },
      },
    ];
    const event = earliest(events, ({ at }) => at);
    if (event.at === NEVER) return;
    await event.of.run();
  }
}

/** Returns the first of those things that have the earliest time. There has to be one. */
function earliest<T>(things: readonly T[], timeOf: (thing: T) => number): { of: T; at: number } {
  const of = things.reduce((one, other) => (timeOf(other) < timeOf(one) ? other : one));
  return { of, at: timeOf(of) };
}
