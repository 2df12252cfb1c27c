/** Counts of the fleet since the start of the service. */
export class FleetCounts {
  /** Requests of other machines: taken, and refused because the machine may not send them. */
  served = 0;
  refused = 0;
  /** Requests of this machine to others. */
  routed = 0;
  /** How often such a request was sent again, since its first message or answer was lost. */
  repeated = 0;
  /** Such requests whose outcome is unknown. */
  unknown = 0;
  /** Bytes of requests and answers, both ways. */
  sentBytes = 0;
  receivedBytes = 0;
  /** Times that the link to the hub was established again. */
  reconnects = 0;
}
