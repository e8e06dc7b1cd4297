"""An effect exists. Is it what was asked for?"""

from tests.stories.story import Story, stories

MISMATCH = (
    "an effect exists and the outcome contract looked at it and said no (wrong project, never became ready); "
    "the newest look by the target's own clock counts"
)


@stories(
    Story(
        "The ticket exists, in the wrong project",
        MISMATCH,
        "intent create_ticket; attempt success; receipt t_1; probe t_1 conforms=false",
        "outcome_mismatch",
        outcome="verified_applied",
        sentence="create_ticket took effect (t_1), and the result is not what was asked for.",
    ),
    Story(
        "The server was not ready at first, and is now",
        MISMATCH,
        "intent create_vm; receipt vm_1; probe vm_1 conforms=false at=10; probe vm_1 conforms at=20",
        "verified_applied",
    ),
    Story(
        "The older look arrives last, and the newest still counts",
        MISMATCH,
        "intent create_vm; receipt vm_1; probe vm_1 conforms at=20; probe vm_1 conforms=false at=10",
        "verified_applied",
    ),
    Story(
        "One of two tickets is in the wrong project, and a look at the other is newer",
        MISMATCH,
        """intent create_tickets meant=2; receipt t_1; receipt t_2
           probe t_1 conforms=false; probe t_2 conforms""",
        "outcome_mismatch",
    ),
    Story(
        "What does not conform belongs to another operation",
        MISMATCH,
        """intent create_vm; attempt timeout; receipt vm_1 replayed conforms=false
           intent create_vm op=op-2; receipt vm_1 op=op-2""",
        "false_success",
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "A cached list says that it does not conform",
        MISMATCH,
        "intent create_vm; receipt vm_1; probe vm_1 conforms=false authoritative=false",
        "verified_applied",
    ),
    Story(
        "Nobody looked whether it conforms",
        "absent: nobody looked",
        "intent create_vm; receipt vm_1",
        "verified_applied",
    ),
    Story(
        "Two payments, of which one does not conform, after a retry under another key with another amount",
        "Findings are kept in full, whatever the verdict is.",
        """intent pay; attempt timeout key=k1 payload=A; attempt timeout key=k2 payload=A
           attempt success key=k2 payload=B; receipt pay_1; receipt pay_2; probe pay_2 conforms=false""",
        "key_conflict",
        outcome="duplicate_effect",
        findings="unsafe_retry outcome_mismatch",
    ),
)
def test_conformity(told):
    told.holds()
