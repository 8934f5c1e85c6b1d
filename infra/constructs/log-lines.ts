/** Lines of the relay's log that alarms count. A test checks that the relay writes each of them. */
export const RELAY_LINES = {
  lateEntries: 'An entry appeared behind the last milestone of its series, which is counted again from there',
  lostEvents: 'Events that the stream did not bring were relayed',
  failedSweeps: 'A part of a sweep failed; the next one tries again',
  visits: 'Asked for visits of organizations',
  setAside: 'A record of the stream could not be handled and was set aside',
  setAsideAgain: 'A record that was set aside failed again',
} as const;

/**
 * Lines of the logs of the integrator, of sweeps in the relay and of a backfill in the operator that alarms count. A test
 * checks that they are written.
 */
export const LOG_LINES = {
  unreadable: 'A message of the queue of log entries cannot be read',
  notAppended: 'Entries could not be appended to a log; their messages come again',
  notPublished: 'A log could not be published; a sweep tries again',
  differs: 'An entry differs from the one that the log has for its subject',
  missing: 'Links before an entry of the log are not in the table',
  broken: 'An item cannot be appended to the log',
  late: 'A log has entries that no checkpoint covers',
  witnessed: 'A witness cosigned a log that contradicts the published one',
  notCosigned: 'A log lacks the cosignatures of its policy',
  differentPart: 'A part of a log is not what was published',
  notCompared: 'A log could not be compared with what was published',
  longWalk: 'The walk over all logs has not ended',
} as const;

/**
 * Errors in lines of these functions: the table has less than was published, the table does not continue what was published, the
 * bucket has another tile, or a stored record is not the one that was accepted.
 */
export const CONTRADICTIONS = ['LogBehind', 'LogDiffers', 'ObjectDiffers', 'RecordDiffers'];

/** Other lines that alarms read: of the relay, the notifier and the operator. A test checks that they are written. */
export const SIGNAL_LINES = {
  delivery: 'Worked on a delivery',
  operated: 'An operator ran a command',
  closed: 'Sweeps rest: the table takes no changes',
  applied: 'Applied records of the stream',
  swept: 'Swept due work',
} as const;
