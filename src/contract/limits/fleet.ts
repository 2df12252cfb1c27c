/** The fleet over machines: how long links may be silent, and what pairing and calls may take. */
import { KiB, MiB } from './units.js';

export const DEFAULT_FLEET_PORT = 42_034;

/** Time between two heartbeats of a machine; up to a fifth is added at random, so that machines do not beat in step. */
export const FLEET_HEARTBEAT_MS = 3_000;

/** Silence after which a machine counts as offline: three heartbeats. */
export const FLEET_SILENT_MS = 9_000;

/**
 * Time from the end of a machine's connection until it counts as offline, so that all machines know within a second. A machine
 * that connects again before stays online.
 */
export const FLEET_CLOSED_MS = 800;

/** Interval of pings on a connection to the hub, and the unanswered pings after which the connection counts as broken. */
export const FLEET_PING_MS = 5_000;
export const FLEET_PINGS_OUT = 2;

/** Time to reach the hub for the first time. */
export const FLEET_CONNECT_MS = 10_000;

/** Pause before each attempt to connect again, up to doubled at random. */
export const FLEET_RECONNECT_MS = 250;

/** Refused logins in a row that count as a refusal: a hub that is reading its configuration refuses every login. */
export const FLEET_REFUSALS = 3;

/** Pause after the hub has refused this machine's key. */
export const FLEET_REFUSED_MS = 30_000;

/** Time within which nats-server accepts connections, and within which it has read a new configuration. */
export const FLEET_SERVER_MS = 10_000;

/** Time within which a machine confirms that it has taken a call; a confirmed call may take as long as a wait. */
export const FLEET_ACCEPT_MS = 5_000;

/** A call that takes longer is confirmed; a quicker answer is its own confirmation. */
export const FLEET_CONFIRM_MS = 50;

/** Lifetime of an invitation, and the conversations that may begin with it. */
export const FLEET_INVITE_MS = 600_000;
export const FLEET_INVITE_TRIES = 5;
export const MAX_FLEET_INVITES = 50;

/** Bytes of an invitation's secret. */
export const FLEET_SECRET_BYTES = 10;

/** Pause between two questions of a machine that waits for a person to confirm it. */
export const FLEET_ASK_MS = 500;

/** Time limit of the reply to such a question. */
export const FLEET_REPLY_MS = 2_000;

/** Largest difference between the clocks of two machines; a request is remembered for twice this time. */
export const FLEET_CLOCK_MS = 300_000;

/** Requests of a machine that are remembered, so that none is taken twice; beyond it, further requests are refused. */
export const MAX_FLEET_NONCES = 200_000;
/** The same for a machine that has no grant. */
export const MAX_FLEET_NONCES_UNGRANTED = 1_000;

/** Largest message on the wire. */
export const FLEET_MESSAGE_BYTES = MiB;

/** Largest body of a request to another machine. */
export const MAX_FLEET_REQUEST_BYTES = 512 * KiB;

/** Largest answer of another machine, and the parts in which it is sent. */
export const MAX_FLEET_ANSWER_BYTES = 16 * MiB;
export const FLEET_PART_BYTES = 64 * KiB;

/** Largest body that comes in one message with the head of its answer, to machines that take it so. */
export const FLEET_BRIEF_BYTES = 32 * KiB;

/** Calls of one machine that are served at once, and calls that this machine has open. */
export const MAX_FLEET_CALLS_EACH = 64;
export const MAX_FLEET_CALLS = 1_000;

/** Requests, and bytes of answers, that the main thread has not taken from the link yet; anything beyond them is dropped. */
export const MAX_FLEET_WAITING = 512;
export const MAX_FLEET_WAITING_BYTES = 64 * MiB;

export const MAX_FLEET_MACHINES = 2_000;
export const MAX_FLEET_GRANTS = 1_000;

/**
 * Bytes of a stream that may be on their way to another machine: bytes that it has not confirmed can be sent again. A stream that
 * comes from far away gets more, and all streams of one machine together no more than MAX_FLEET_GROWN_BYTES beyond this.
 */
export const FLEET_STREAM_WINDOW_BYTES = 1 * MiB;
export const MAX_FLEET_STREAM_WINDOW_BYTES = 4 * MiB;
/** With these, four streams with windows of the largest size have 16 MiB on their way. */
export const MAX_FLEET_GROWN_BYTES = 12 * MiB;

/** Bytes that wait for one machine in all its streams; output that does not fit is dropped, and a screen takes its place. */
export const MAX_FLEET_STREAMED_BYTES = 16 * MiB;

/** Largest message of a stream: a screen with all its scrollback. */
export const MAX_FLEET_STREAM_MESSAGE_BYTES = 64 * MiB;

/** Streams that one machine may have open here, and streams that this machine may have open at others. */
export const MAX_FLEET_STREAMS_EACH = 512;
export const MAX_FLEET_STREAMS = 4_096;

/** Time between two signs of life of a machine that follows a stream. */
export const FLEET_STREAM_ASK_MS = 2_000;

/** Silence after which a follower gives a stream up and opens another, and after which its owner ends it. */
export const FLEET_STREAM_LOST_MS = 10_000;
export const FLEET_STREAM_SILENT_MS = 60_000;

/** Pause before a lost stream is opened anew. */
export const FLEET_STREAM_RETRY_MS = 1_000;

/** Clients that one machine may attach to one terminal of another. */
export const MAX_FLEET_ATTACHED = 64;

/** Time that one machine gets to answer when all are asked for a terminal; machines that are asked at once. */
export const FLEET_ROSTER_MS = 5_000;
export const MAX_FLEET_ASKED = 64;

/** Terminals whose machines are remembered after they were looked for. */
export const MAX_KNOWN_PLACES = 10_000;

/** Removed terminals whose labels are remembered, so that grants by labels hold for questions about their ends. */
export const MAX_REMOVED_LABELS = 1_000;

/** Time after the loss of a request by which its sender learns the outcome, or that the outcome is unknown. */
export const FLEET_FATE_MS = 10_000;

/** Time that a person has to approve a request of another machine, and the characters that are shown of the request. */
export const FLEET_CONSENT_MS = 60_000;
export const MAX_CONSENT_CHARS = 1_000;

/** Time after which a wait over all machines looks at all of them anew. */
export const FLEET_LOOK_MS = 5_000;

/** Characters of the URLs of an outside NATS server, which must fit into an invitation, too. */
export const MAX_FLEET_URL_CHARS = 500;
