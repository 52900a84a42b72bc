"""metrics of services: what a shadow was shown is counted apart"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_KEY = ["service_id", "step_s", "at", "number", "replica_id", "is_shadow"]


def upgrade() -> None:
    # For a while the revision before this one made the column itself.
    if any(column["name"] == "is_shadow" for column in sa.inspect(op.get_bind()).get_columns("service_metrics")):
        return
    with op.batch_alter_table("service_metrics") as batch:
        batch.add_column(sa.Column("is_shadow", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("service_metrics") as batch:
        batch.alter_column("is_shadow", existing_type=sa.Boolean(), server_default=None)
        batch.drop_constraint(op.f("pk_service_metrics"), type_="primary")
        batch.create_primary_key(op.f("pk_service_metrics"), _KEY)


def downgrade() -> None:
    raise NotImplementedError("schemas are never taken back")
